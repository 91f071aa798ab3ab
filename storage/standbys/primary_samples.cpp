#include "storage/standbys/primary_samples.hpp"

#include <algorithm>

namespace waybill::storage {

void PrimarySamples::add(const Sample& sample) {
  if (sample.cluster != newer_.cluster) count_ = 0;
  older_ = newer_;
  newer_ = sample;
  count_ = std::min(count_ + 1, 2);
}

bool PrimarySamples::has_since(Duration age, SteadyTime now) const {
  return count_ > 0 && now - newer_.at <= age;
}

const PrimarySamples::Sample& PrimarySamples::floor(SteadyTime now) const {
  return count_ == 2 && now - older_.at <= longest_lag ? older_ : newer_;
}

}  // namespace waybill::storage
