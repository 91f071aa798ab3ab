#pragma once

#include <cstdint>
#include <string>

#include "api/route/route.hpp"

namespace waybill::api {

/// The parameters of the Orders, Customers and Products lists.
inline constexpr Parameter page_parameter{
    .name = "Page", .kind = Kind::integer, .minimum = 1, .description = "page number, default 1"};
inline constexpr Parameter page_size_parameter{.name = "PageSize",
                                               .kind = Kind::integer,
                                               .minimum = 1,
                                               .maximum = 100,
                                               .description = "entries of a page, default 50"};
/// Filters count bytes (4 KiB), which domain/filter checks.
inline constexpr Parameter filter_parameter{
    .name = "$filter", .kind = Kind::text, .description = "OData 4 subset, such as status eq 'pending'"};
inline constexpr Parameter order_by_parameter{
    .name = "$orderby", .kind = Kind::text, .description = "field [asc|desc], …"};
inline constexpr Parameter search_parameter{
    .name = "$search", .kind = Kind::string, .description = "every word must occur in a text field"};
inline constexpr Parameter list_parameters[] = {page_parameter, page_size_parameter, order_by_parameter,
                                                filter_parameter, search_parameter};

/// The shipment list's own spelling.
inline constexpr Parameter lower_page_parameter{
    .name = "page", .kind = Kind::integer, .minimum = 1, .description = "page number, default 1"};
inline constexpr Parameter per_page_parameter{.name = "perPage",
                                              .kind = Kind::integer,
                                              .minimum = 1,
                                              .maximum = 100,
                                              .description = "entries of a page, default 50"};

/// Which page of a list is asked for.
struct Page {
  std::int64_t number = 1;
  std::int64_t size = 50;
  std::int64_t offset() const { return (number - 1) * size; }
  std::int64_t limit() const { return size; }
};

/// From either spelling; the bounds were checked with the parameters.
Page page_of(const Call& call);

/// `data` is the JSON array of the page's entries.
Answer page_answer(std::string data, const Page& page, std::int64_t total_count);

}  // namespace waybill::api
