#include "net/http/curl_headers.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace waybill::net {

bool breaks_line(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

bool is_broken_header(std::string_view name, std::string_view value) {
  return breaks_line(name) || breaks_line(value) || name.find_first_of(":;") != std::string_view::npos;
}

bool CurlHeaders::build(const Fields& fields) {
  text_.clear();
  starts_.clear();
  const auto add = [this](std::string_view name, std::string_view separator, std::string_view value) {
    starts_.push_back(text_.size());
    text_.append(name).append(separator).append(value).push_back('\0');
  };
  bool has_content_type = false;
  for (const auto& [name, value] : fields) {
    if (is_broken_header(name, value)) return false;
    has_content_type = has_content_type || equal_ignoring_case(name, "content-type");
    // libcurl drops "Name:" and sends "Name;" as a header without a value.
    if (trimmed(value).empty()) {
      add(name, ";", {});
    } else {
      add(name, ": ", value);
    }
  }
  add("Expect", ":", {});  // never wait for 100 Continue
  if (!has_content_type) add("Content-Type", ":", {});
  nodes_.resize(starts_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].data = text_.data() + starts_[i];
    nodes_[i].next = i + 1 < nodes_.size() ? &nodes_[i + 1] : nullptr;
  }
  return true;
}

}  // namespace waybill::net
