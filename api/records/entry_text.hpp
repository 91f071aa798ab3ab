#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// Writes a record as a JSON object, an entry of a statement that takes several. Missing values are left out.
class EntryText {
 public:
  EntryText& text(std::string_view name, const std::optional<std::string>& value) {
    if (!value) return *this;
    begin(name);
    append_json_string(text_, *value);
    return *this;
  }
  EntryText& guid(std::string_view name, const std::optional<Guid>& value) {
    return value ? text(name, value->to_string()) : *this;
  }
  EntryText& time(std::string_view name, const std::optional<Time>& value) {
    return value ? text(name, format_sql_timestamp(*value)) : *this;
  }
  /// `value` is JSON.
  EntryText& json(std::string_view name, const std::optional<std::string>& value) {
    if (!value) return *this;
    begin(name);
    text_ += *value;
    return *this;
  }
  std::string take() { return std::move(text_) + '}'; }

 private:
  void begin(std::string_view name) {
    text_ += text_.empty() ? R"({")" : R"(,")";
    text_.append(name).append(R"(":)");
  }

  std::string text_;
};

}  // namespace waybill::api
