#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::actions {

/// The result of an action's check, for the tests of actions.
struct Checked {
  json::object stored;
  FieldErrors errors;
  std::vector<std::string> fields() const {
    std::vector<std::string> names;
    for (const FieldError& error : errors) names.push_back(error.field);
    return names;
  }
};

inline json::object parse(std::string_view text) { return json::parse(text).as_object(); }

}  // namespace waybill::actions
