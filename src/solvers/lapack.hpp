// SPDX-License-Identifier: Apache-2.0
// The few LAPACK routines in use, as OpenBLAS exports them.
#pragma once

extern "C" {
void dgesv_(const int* n, const int* nrhs, double* a, const int* lda, int* pivots, double* b, const int* ldb,
            int* info);
char* openblas_get_config();
}
