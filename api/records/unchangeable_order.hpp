#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace waybill::api {

/// The failure of a change of an order that its status no longer allows.
inline Failure unchangeable_order(std::string_view status) {
  return conflict("The order is " + std::string(status) + " and can no longer be changed.");
}

}  // namespace waybill::api
