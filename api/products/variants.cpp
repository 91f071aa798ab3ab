// The variants of a product. They are elements of its row, so changing one updates the product.
#include <array>
#include <string>
#include <utility>

#include "api/products/product_body.hpp"
#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/numbering.hpp"
#include "api/records/row_json.hpp"
#include "base/guid.hpp"
#include "storage/sql/variants.sql.hpp"

namespace waybill::api {
namespace {

constexpr double largest_difference = 1e12;

/// `create` requires the name.
constexpr auto properties_of_variant(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .nullable = false, .read_only = true},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "sku",
       .kind = Kind::code,
       .min_length = 1,
       .description = "Unique among products and variants. Required unless SKUs are generated."},
      {.name = "priceDifference",
       .kind = Kind::money,
       .minimum = -largest_difference,
       .description = "The difference from the price of the product."},
      {.name = "weight", .kind = Kind::number, .minimum = 0, .maximum = largest_measure},
      {.name = "dimensions", .kind = Kind::object, .schema = &product_dimensions_schema},
  });
}
constexpr auto new_variant_properties = properties_of_variant(true);
constexpr auto variant_change_properties = properties_of_variant(false);
constexpr Schema new_variant_schema{"VariantCreate", new_variant_properties};
constexpr Schema variant_schema{"Variant", variant_change_properties};
constexpr Schema variant_summary_schema{"VariantSummary", std::span(variant_change_properties).first(3)};
constexpr Schema variant_name_schema{"VariantName", std::span(variant_change_properties).first(2)};

constexpr auto variant_columns = std::to_array<BodyColumn>({{"name", "name"},
                                                            {"sku", "sku"},
                                                            {"priceDifference", "priceDifference"},
                                                            {"weight", "weight"},
                                                            {"dimensions", "dimensions"}});

void check_new_variant(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "sku", errors);
}

asio::awaitable<Answer> add_variant(Call& call, Services& services) {
  const bool assigns_sku = co_await needs_generated_sku(call, services);
  const auto guid = Guid::random().to_string();
  const json::object variant = new_element(call.object(), variant_columns, guid);
  const auto text = to_json(variant);
  const auto rows = co_await write_numbered(assigns_sku, sku_constraints, [&] {
    return services.db.write(
        sql::variants::Add{.business = call.business(), .product = call.id(), .variant = text}, call.cause());
  });
  if (rows.empty()) throw not_found("product");
  if (!rows.front().has_room) throw conflict("The product already has the maximum of 1000 variants.");
  co_return Answer::created(json_object(rows.more()),
                            "/api/v1/Products/" + call.id().to_string() + "/variants/" + guid);
}

asio::awaitable<Answer> get_variant(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::variants::Get{.business = call.business(), .product = call.id(), .variant = call.id(1)});
  if (rows.empty()) throw not_found("variant");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> change_variant(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::variants::Change{.business = call.business(),
                            .product = call.id(),
                            .variant = call.id(1),
                            .changes = to_json(changed_columns(call.object(), variant_columns))},
      call.cause());
  if (rows.empty()) throw not_found("variant");
  if (!rows.front().keeps_sku) throw invalid("sku", "must not be null");
  co_return Answer::of(json_object(rows.more()));
}

asio::awaitable<Answer> remove_variant(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::variants::Remove{.business = call.business(), .product = call.id(), .variant = call.id(1)},
      call.cause());
  if (rows.affected() == 0) throw not_found("variant");
  co_return Answer::none();
}

constexpr Endpoint variant_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/v1/Products/{productId}/variants",
     .permission = Permission::operate,
     .handler = add_variant,
     .operation_id = "createVariant",
     .summary = "Creates a variant of a product",
     .description =
         "The new variant is an update of the product. Its SKU is unique among products and variants (409).",
     .tag = "Products",
     .body = &new_variant_schema,
     .body_check = check_new_variant,
     .body_kind = BodyKind::object,
     .answer = &variant_summary_schema,
     .status = 201,
     .adds_errors = true},
    {.method = Method::get,
     .path = "/api/v1/Products/{productId}/variants/{variantId}",
     .permission = Permission::read,
     .handler = get_variant,
     .operation_id = "getVariant",
     .summary = "Returns a variant of a product",
     .description = "A variant of another product is 404.",
     .tag = "Products",
     .answer = &variant_schema},
    {.method = Method::patch,
     .path = "/api/v1/Products/{productId}/variants/{variantId}",
     .permission = Permission::operate,
     .handler = change_variant,
     .operation_id = "updateVariant",
     .summary = "Updates a variant of a product",
     .description = "Fields that are left out keep their values.",
     .tag = "Products",
     .body = &variant_schema,
     .body_check = check_product_change,
     .body_kind = BodyKind::object,
     .answer = &variant_name_schema},
    {.method = Method::del,
     .path = "/api/v1/Products/{productId}/variants/{variantId}",
     .permission = Permission::operate,
     .handler = remove_variant,
     .operation_id = "deleteVariant",
     .summary = "Deletes a variant of a product",
     .description = "The removal is an update of the product.",
     .tag = "Products"},
};

}  // namespace

std::span<const Endpoint> variant_endpoints() { return variant_endpoint_table; }

}  // namespace waybill::api
