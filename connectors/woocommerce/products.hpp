#pragma once

#include <optional>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors::woo {

inline constexpr std::string_view product_fields =
    "id,name,type,status,description,short_description,sku,global_unique_id,price,regular_price,weight,"
    "dimensions,variations,date_created_gmt,date_modified_gmt";
inline constexpr std::string_view variation_fields =
    "id,name,status,sku,price,regular_price,weight,attributes";

/// What the store's weights and lengths are times, to be kilograms and centimetres; nullopt: unknown.
struct Units {
  std::optional<double> kilograms, centimetres;
};

/// From `settings/products`.
Units units_of(const json::value& settings);

/// As `read_order`; nothing for a draft, and for what has no parcel of its own (grouped and external
/// products). The variants of a variable product are added by `add_variant`.
void read_product(const json::value& row, const Units& units, StorePage<StoreProduct>& page);
bool has_variations(const json::value& row);
void add_variant(const json::value& row, const Units& units, StoreProduct& product);

}  // namespace waybill::connectors::woo
