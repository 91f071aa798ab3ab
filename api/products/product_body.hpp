#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/route/route.hpp"
#include "api/route/services.hpp"

namespace waybill::api {

/// Length, width and height of a product or variant.
extern const Schema product_dimensions_schema;
inline constexpr double largest_measure = 1e9;

inline constexpr std::string_view length_units[] = {"cm", "in", "m"};
inline constexpr std::string_view weight_units[] = {"kg", "g", "lb", "oz"};

/// What a SKU that is used already violates.
inline constexpr std::string_view sku_constraints[] = {"product_skus_unique", "products_sku_unique"};

/// Of a change: neither name nor SKU may be blank.
void check_product_change(const json::object& body, FieldErrors& errors);

/// For routes that make something with a SKU and add errors: one must be given unless the business has them
/// made. Throws Failure with all that is wrong with the request; answers whether one is to be made.
asio::awaitable<bool> needs_generated_sku(const Call& call, Services& services);

}  // namespace waybill::api
