#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "api/endpoint/schema.hpp"

// The bodies and answers of purchases of carriers' labels.
namespace waybill::api {

extern const Schema purchase_schema;      // a purchase in any answer: storage/sql/purchases/answer.inc
extern const Schema purchase_sum_schema;  // an entry of `sums` of the list
extern const Schema label_request_schema;
extern const Schema resolve_schema;

/// The formats of labels, and the statuses of purchases.
std::span<const std::string_view> label_formats();
std::span<const std::string_view> purchase_statuses();

/// The most characters of a label in Base64, so that it fits into a body.
inline constexpr std::size_t longest_label_text = 1'000'000;

/// Adds an error if more than one of rateId, serviceLevel and choose are given.
void check_label_request(const json::object& body, FieldErrors& errors);
/// Adds an error for each field that does not go with the outcome.
void check_resolve(const json::object& body, FieldErrors& errors);

}  // namespace waybill::api
