#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/http/session_cookie.hpp"

// The input is a head. A cookie must be within it, follow its name and `=`, and have no part of another one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view name = "waybill_80", before = "waybill_80=";
  const std::string_view head(reinterpret_cast<const char*>(data), size);
  (void)waybill::api::is_from_console(head);
  (void)waybill::api::SessionCookie::of(head);
  const auto value = waybill::api::find_cookie(head, name);
  if (!value) return 0;
  const auto at = static_cast<std::size_t>(value->data() - head.data());
  const bool is_inside = at >= before.size() && at + value->size() <= head.size();
  if (!is_inside || head.substr(at - before.size(), before.size()) != before) std::abort();
  if (value->empty() || value->find(';') != std::string_view::npos) std::abort();
  return 0;
}
