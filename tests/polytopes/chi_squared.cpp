// SPDX-License-Identifier: Apache-2.0
#include "polytopes/chi_squared.hpp"

#include <boost/math/distributions/chi_squared.hpp>

namespace fenchel::test {

double chi_squared_tail(double statistic, double degrees) {
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

}  // namespace fenchel::test
