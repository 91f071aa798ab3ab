#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// The length, width and height of a product or variant.
extern const Schema product_dimensions_schema;
inline constexpr double largest_measure = 1e9;

inline constexpr std::string_view length_units[] = {"cm", "in", "m"};
inline constexpr std::string_view weight_units[] = {"kg", "g", "lb", "oz"};

/// The constraints that a duplicate SKU violates.
inline constexpr std::string_view sku_constraints[] = {"product_skus_unique", "products_sku_unique"};

/// Adds an error if a change has a blank name or SKU.
void check_product_change(const json::object& body, FieldErrors& errors);

/// Returns true if the request has no SKU and one must be generated. Throws Failure with all errors of the
/// request if it has any, or if it has no SKU and the business does not generate them. For endpoints with
/// `adds_errors`.
asio::awaitable<bool> needs_generated_sku(const Call& call, Services& services);

}  // namespace waybill::api
