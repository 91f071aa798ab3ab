#pragma once

#include <string_view>

#include "api/endpoint/schema.hpp"

namespace waybill::api {

/// The property `workdays`, which only what counts working days shows.
constexpr Property workdays_of(std::string_view description) {
  return {.name = "workdays", .kind = Kind::boolean, .optional = true, .description = description};
}

}  // namespace waybill::api
