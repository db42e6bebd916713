# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's tests of logistic regression: LogisticRegression is FenchelYoungClassifier("logistic").

C, l1_ratio and the one row of weights of two classes become λ, ρ and two rows (docs/coming_from/scikit_learn.md).
"""
import numpy as np

from peers.peer import Peer

PEER = Peer(
    title="scikit-learn, logistic", package="scikit-learn", version="1.9.1",
    tests=("sklearn/linear_model/tests/test_logistic.py",), plugins=("sklearn.conftest",),
    ours='`FenchelYoungClassifier("logistic")`',
    does_not_apply={
        "arrays of other libraries and GPUs, which its authors skip where they are not installed": [
            "test_logistic_regression_array_api_compliance", "test_logistic_regression_array_api_warm_start"],
        "`LogisticRegressionCV` and private paths of solvers: `GridSearchCV` over our estimator does that": [
            "test_check_solver_option[LogisticRegressionCV]", "test_elasticnet_l1_ratio_err_helpful[LogisticRegressionCV*",
            "test_logistic_regression_path_convergence_fail", "test_logistic_cv_refit_false_non_elasticnet",
            "test_logistic_cv_mock_scorer", "test_logistic_cv_sparse", "test_logistic_regressioncv_class_weights",
            "test_logistic_regression_sample_weights[*-cv]", "test_LogisticRegressionCV_no_refit",
            "test_LogisticRegressionCV_elasticnet_attribute_shapes", "test_logistic_regression_path_coefs_multinomial",
            "test_logistic_regression_path_init_coefs", "test_lr_cv_scores_differ_when_sample_weight_is_requested",
            "test_lr_cv_scores_without_enabling_metadata_routing", "test_passing_params_without_enabling_metadata_routing",
            "test_liblinear_multiclass_raises[LogisticRegressionCV]", "test_penalty_deprecated[LogisticRegressionCV]",
            "test_logisticregressioncv_warns_with_use_legacy_attributes", "test_lr_scoring_warns", "test_get_default_scorer"],
        "compares ours at the optimum with `LogisticRegressionCV`, which stopped before it": [
            "test_logistic_cv", "test_logistic_cv_multinomial_score[neg_log_loss*"],
        "sets `coef_` of a fitted model, which is read-only: predictions are those of the model": [
            "test_write_parameters", "test_logistic_cv_folds_with_classes_missing"],
        "which of their solvers takes which parameters; ours has other solvers": [
            "test_check_solver_option[LogisticRegression]", "test_liblinear_dual_random_state",
            "test_liblinear_multiclass_raises[LogisticRegression]", "test_newton_cholesky_fallback_to_lbfgs",
            "test_logreg_predict_proba_multinomial"],
        "two fits of one Newton step equal one of two: L-BFGS does not keep its memory between fits": [
            "test_warm_start_newton_solver"],
        "words of their warnings: ours name the estimator, the residual and what to do": ["test_max_iter"],
        "warnings about parameters of theirs that are deprecated or contradict each other": [
            "test_elasticnet_l1_ratio_err_helpful[LogisticRegression-l1_ratio]", "test_l1_ratio_non_elasticnet",
            "test_penalty_none", "test_penalty_deprecated[LogisticRegression]", "test_l1_ratio_None_deprecated",
            "test_logisticregression_warns_with_n_jobs", "test_lr_penalty_l1ratio_incompatible"],
        "expects a refusal where ours gives the answer: 64-bit indices, values of 1e100": [
            "test_large_sparse_matrix[*-liblinear]", "test_large_sparse_matrix[*-sag]", "test_large_sparse_matrix[*-saga]",
            "test_liblinear_with_large_values"],
        "liblinear has float64 weights for float32 features; ours are float32 then, as those of their other solvers": [
            "test_dtype_match[*-liblinear]"],
        "callbacks of estimators, which are experimental there": [
            "test_logistic_regression_callback_support", "test_logistic_regression_callback_fitted_estimator",
            "test_logistic_regression_callback_support_warning"],
    },
)

# Theirs stops at a norm of the gradient, ours at a relative duality gap, which is of the order of its square; below the least one
# rounding decides.
LEAST_GAP = 1e-16


def substitute():
    import sklearn.linear_model
    from fenchel.sklearn import FenchelYoungClassifier
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.validation import check_is_fitted

    class LogisticRegression(ClassifierMixin, BaseEstimator):
        """Their parameters and attributes, our fit."""

        def __init__(self, penalty="deprecated", *, C=1.0, l1_ratio=0.0, dual=False, tol=1e-4, fit_intercept=True,
                     intercept_scaling=1, class_weight=None, random_state=None, solver="lbfgs", max_iter=100, verbose=0,
                     warm_start=False, n_jobs=None):
            self.penalty, self.C, self.l1_ratio, self.dual, self.tol = penalty, C, l1_ratio, dual, tol
            self.fit_intercept, self.intercept_scaling, self.class_weight = fit_intercept, intercept_scaling, class_weight
            self.random_state, self.solver, self.max_iter, self.verbose = random_state, solver, max_iter, verbose
            self.warm_start, self.n_jobs = warm_start, n_jobs

        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = True
            return tags

        def _penalty(self, classes):
            """G in our terms: w = W₁ − W₀ has the l1 norm of W and twice its squared norm."""
            share = {"l1": 1.0, "l2": 0.0}.get(self.penalty, self.l1_ratio or 0.0)
            if self.penalty is None or np.isinf(self.C):
                return {"penalty": "none"}
            if share == 1:
                return {"penalty": "l1", "reg_lambda": 1 / self.C}
            reg_lambda = (2 if classes == 2 else 1) * (1 - share) / self.C
            if share == 0:
                return {"penalty": "l2", "reg_lambda": reg_lambda}
            return {"penalty": "elastic_net", "reg_lambda": reg_lambda, "rho": share / self.C / reg_lambda}

        def fit(self, X, y, sample_weight=None):
            classes = len(np.unique(y))
            options = dict(class_weight=self.class_weight, fit_intercept=self.fit_intercept, random_state=self.random_state,
                           tol=max(self.tol ** 2, LEAST_GAP), max_iter=self.max_iter, verbose=self.verbose,
                           warm_start=self.warm_start, n_jobs=self.n_jobs, **self._penalty(classes))
            if self.warm_start and hasattr(self, "ours_"):
                self.ours_.set_params(**options)
            else:
                self.ours_ = FenchelYoungClassifier("logistic", **options)
            self.ours_.fit(X, y, sample_weight)
            self.classes_ = self.ours_.classes_
            self.n_features_in_ = self.ours_.n_features_in_
            self.n_iter_ = np.array([self.ours_.n_iter_], dtype=np.int32)
            return self

        def _rows(self, name):
            check_is_fitted(self)
            rows = getattr(self.ours_, name)
            return rows[1:] - rows[:1] if len(self.classes_) == 2 else rows

        @property
        def coef_(self):
            return self._rows("coef_")

        @property
        def intercept_(self):
            return self._rows("intercept_")

        def sparsify(self):
            self.ours_.sparsify()
            return self

        def densify(self):
            self.ours_.densify()
            return self

        def predict(self, X):
            check_is_fitted(self)
            return self.ours_.predict(X)

        def decision_function(self, X):
            check_is_fitted(self)
            return self.ours_.decision_function(X)

        def predict_proba(self, X):
            check_is_fitted(self)
            return self.ours_.predict_proba(X)

        def predict_log_proba(self, X):
            check_is_fitted(self)
            return self.ours_.predict_log_proba(X)

    LogisticRegression.__module__ = __name__
    LogisticRegression.__qualname__ = "LogisticRegression"
    globals()["LogisticRegression"] = LogisticRegression  # where pickles look for it
    sklearn.linear_model.LogisticRegression = LogisticRegression
