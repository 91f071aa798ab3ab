#pragma once

#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors::woo {

inline constexpr std::string_view product_fields =
    "id,name,type,status,description,short_description,sku,global_unique_id,price,regular_price,weight,"
    "dimensions,variations,date_created_gmt,date_modified_gmt";
/// The members that tell a product.
inline constexpr std::string_view product_state_fields =
    "id,name,type,status,date_created_gmt,date_modified_gmt";
inline constexpr std::string_view variation_fields =
    "id,name,status,sku,price,regular_price,weight,dimensions,attributes";

/// The factors that convert the store's weights and lengths to kilograms and centimetres; nullopt if unknown.
struct Units {
  std::optional<double> kilograms, centimetres;
};

/// Reads the units from `settings/products`.
Units units_of(const json::value& settings);

/// Adds the row to the page, as a record or as unreadable; leaves out drafts and products without their own
/// parcel (grouped and external). `add_variant` adds the variants of a variable product.
void read_product(const json::value& row, const Units& units, StorePage<StoreProduct>& page);
/// Adds a product to the page of which only the id and name are known.
void set_aside_product(const json::value& row, std::string reason, StorePage<StoreProduct>& page);
bool has_variations(const json::value& row);
void add_variant(const json::value& row, const Units& units, StoreProduct& product);

}  // namespace waybill::connectors::woo
