#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "connectors/connector.hpp"

// The merging of a store's product with the one here, without a database.
namespace waybill::worker {

/// The guids of the variants that came from a store, by the store's ids.
using VariantIds = std::map<std::string, std::string>;

/// Reads the column imported_products.variants.
VariantIds variant_ids(std::string_view column);
std::string variant_ids_json(const VariantIds& ids);

/// The SKU and the variants of a product here.
struct OwnProduct {
  std::optional<std::string> sku = {};
  json::array variants = {};
  VariantIds ids = {};
  bool has_ids = true;  // false if an earlier release imported the product, which did not keep the ids
};

/// Decimals in our units as numbers.
double number_of(std::string_view amount);

/// The guids of the variants here that came from the store, which has them no more. Empty if variants may be
/// missing in the store's list.
std::vector<std::string> gone_variants(const OwnProduct& own, const connectors::StoreProduct& product);

struct MergedVariants {
  json::array variants;
  VariantIds ids;
  std::vector<std::string> remarks;  // about what is left out
};

/// Updates the variants here with those of the store, adds missing ones and removes those in `gone`; others
/// stay. A variant of the store is the one here with its id, else the one with its SKU, else the one with its
/// name if at most one of the two has a SKU or if the ids are not known. SKUs that would occur twice are
/// removed from `product`.
MergedVariants merge_variants(OwnProduct own, connectors::StoreProduct& product,
                              const std::set<std::string>& gone);

}  // namespace waybill::worker
