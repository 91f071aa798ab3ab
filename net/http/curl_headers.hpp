#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <curl/curl.h>

namespace waybill::net {

/// The header list of one request in the form that libcurl reads: nodes that point into one text, so that a
/// list costs no allocation once the handle has sent a similar one. One thread.
class CurlHeaders {
 public:
  using Fields = std::vector<std::pair<std::string, std::string>>;  // names and values

  /// Replaces the list. Returns false if a field cannot be sent: it would break its line, or its name is not
  /// one.
  bool build(const Fields& fields);

  /// Valid until the next `build`; libcurl does not copy it.
  curl_slist* list() { return nodes_.data(); }

 private:
  std::string text_;
  std::vector<std::size_t> starts_;  // offsets in text_
  std::vector<curl_slist> nodes_;
};

/// True if a header cannot be sent: it would break its line, or its name is not one.
bool is_broken_header(std::string_view name, std::string_view value);

/// True if the text contains a character that ends a line or the text itself.
bool breaks_line(std::string_view text);

}  // namespace waybill::net
