#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"

namespace waybill::storage {

/// The due times from which looks read the runs of some destinations in the queue; the rows below them are
/// deleted. The vectors have one element of each destination.
struct QueueFloors {
  std::vector<std::string> destinations;
  std::vector<Time> times;
};

}  // namespace waybill::storage
