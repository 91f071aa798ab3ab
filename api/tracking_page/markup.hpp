#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace waybill::api {

/// The length of `text` after escaping.
std::size_t escaped_size(std::string_view text);

/// Builds HTML.
class Markup {
 public:
  Markup() = default;
  /// Reserves memory for this many bytes.
  explicit Markup(std::size_t expected_bytes) { html_.reserve(expected_bytes); }

  /// Appends markup. It takes literals only, because a value would not be escaped.
  template <std::size_t size>
  Markup& raw(const char (&markup)[size]) {  // NOLINT(modernize-avoid-c-arrays)
    html_.append(markup, size - 1);
    return *this;
  }
  /// Appends markup that is part of the program or consists of checked values.
  Markup& trusted(std::string_view markup) {
    html_ += markup;
    return *this;
  }
  Markup& add(const Markup& other) {
    html_ += other.html_;
    return *this;
  }
  /// Appends a text or the value of a quoted attribute, escaped.
  Markup& text(std::string_view value);

  /// Removes all but the first `size` bytes.
  void cut(std::size_t size) { html_.resize(size); }

  std::size_t size() const { return html_.size(); }
  const std::string& html() const& { return html_; }
  std::string html() && { return std::move(html_); }

 private:
  std::string html_;
};

}  // namespace waybill::api
