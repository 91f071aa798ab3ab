#include "api/endpoint/paging.hpp"

#include "base/number.hpp"

namespace waybill::api {
namespace {

void read(const Call& call, std::string_view name, std::int64_t& value) {
  if (const auto text = call.parameter(name)) value = parse_number<std::int64_t>(*text).value_or(value);
}

}  // namespace

Page page_of(const Call& call) {
  Page page;
  read(call, page_parameter.name, page.number);
  read(call, lower_page_parameter.name, page.number);
  read(call, page_size_parameter.name, page.size);
  read(call, per_page_parameter.name, page.size);
  return page;
}

std::int64_t total_with_page(std::int64_t total, const Page& page, std::int64_t entries) {
  const std::int64_t end = page.offset() + entries;
  if (entries == 0 || total >= end) return total;
  return entries < page.size ? end : end + 1;
}

Answer page_answer(std::string data, const Page& page, std::int64_t total_count) {
  return {.data = std::move(data), .page = page.number, .page_size = page.size, .total_count = total_count};
}

}  // namespace waybill::api
