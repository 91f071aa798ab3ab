#pragma once

#include <cstdint>
#include <string>

#include "api/endpoint/endpoint.hpp"

namespace waybill::api {

/// The parameters of the Orders, Customers and Products lists.
inline constexpr Parameter page_parameter{.name = "Page",
                                          .kind = Kind::integer,
                                          .minimum = 1,
                                          .description = "The number of the page. Default: 1."};
inline constexpr Parameter page_size_parameter{
    .name = "PageSize",
    .kind = Kind::integer,
    .minimum = 1,
    .maximum = 100,
    .description = "The number of entries on a page. Default: 50."};
/// The limit of filters is 4 KiB in bytes; domain/filter checks it.
inline constexpr Parameter filter_parameter{
    .name = "$filter",
    .kind = Kind::text,
    .description = "A filter in a subset of OData 4, such as status eq 'pending'."};
inline constexpr Parameter order_by_parameter{
    .name = "$orderby",
    .kind = Kind::text,
    .description = "Fields, each with asc or desc, separated by commas."};
inline constexpr Parameter search_parameter{
    .name = "$search",
    .kind = Kind::string,
    .description = "Words, each of which must occur in a text field."};
inline constexpr Parameter list_parameters[] = {page_parameter, page_size_parameter, order_by_parameter,
                                                filter_parameter, search_parameter};

/// The spelling of the shipment list.
inline constexpr Parameter lower_page_parameter{.name = "page",
                                                .kind = Kind::integer,
                                                .minimum = 1,
                                                .description = "The number of the page. Default: 1."};
inline constexpr Parameter per_page_parameter{.name = "perPage",
                                              .kind = Kind::integer,
                                              .minimum = 1,
                                              .maximum = 100,
                                              .description = "The number of entries on a page. Default: 50."};

/// The requested page of a list.
struct Page {
  std::int64_t number = 1;
  std::int64_t size = 50;
  std::int64_t offset() const { return (number - 1) * size; }
  std::int64_t limit() const { return size; }
};

/// Reads either spelling. The bounds were checked with the parameters.
Page page_of(const Call& call);

/// Returns the total, but at least as many as a page with this number of entries shows. If it was less and
/// the page is full, there may be a next page, so one more. Rows that were written without triggers are not
/// counted.
std::int64_t total_with_page(std::int64_t total, const Page& page, std::int64_t entries);

/// `data` is the JSON array of the page's entries.
Answer page_answer(std::string data, const Page& page, std::int64_t total_count);

}  // namespace waybill::api
