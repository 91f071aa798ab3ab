#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "domain/filter/filter.hpp"

// Expectations of the tests of filters.
namespace waybill::domain {

/// Expects the message of each text as a filter of orders.
inline void expect_error(const std::vector<std::pair<std::string, std::string>>& cases) {
  for (const auto& [text, message] : cases) {
    const auto result = compile_filter(text, record_type(EntityType::order), 3);
    const auto* error = std::get_if<FilterError>(&result);
    EXPECT_EQ(error == nullptr ? std::get<SqlFragment>(result).text : error->message, message) << text;
  }
}

inline bool compiles(const std::string& text) {
  return std::holds_alternative<SqlFragment>(compile_filter(text, record_type(EntityType::order), 3));
}

}  // namespace waybill::domain
