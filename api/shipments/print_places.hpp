#pragma once

#include "base/call_places.hpp"

namespace waybill::api {

/// The requests of a process that print labels. Each has up to `documents::largest_merge` bytes of labels in
/// memory, and as many of their answer. A business has one of them, so that two businesses leave a place to
/// others. A request that waits for a place has loaded no label.
struct PrintPlaces {
  CallPlaces of_business{1};
  CallPlaces of_all{3};
};

}  // namespace waybill::api
