// A customer's contacts and references.
#include <array>
#include <string>

#include "api/customers/customer_body.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/columns.hpp"
#include "api/records/fields.hpp"
#include "api/records/row_json.hpp"
#include "base/guid.hpp"
#include "storage/sql/customers.sql.hpp"

namespace waybill::api {
namespace {

/// `create` requires the name.
constexpr auto contact_properties(bool create) {
  return std::to_array<Property>({
      {.name = "guid", .kind = Kind::uuid, .nullable = false, .read_only = true},
      {.name = "name", .kind = Kind::string, .required = create, .nullable = false, .min_length = 1},
      {.name = "email", .kind = Kind::email, .max_length = longest_email},
      {.name = "phone", .kind = Kind::string},
      {.name = "role", .kind = Kind::string, .description = "Any text, such as billing."},
  });
}
constexpr auto new_contact_properties = contact_properties(true);
constexpr auto contact_change_properties = contact_properties(false);
constexpr Schema new_contact_schema{"CustomerContactCreate", new_contact_properties};
constexpr Schema contact_change_schema{"CustomerContactUpdate", contact_change_properties};

constexpr Property added_contact_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "email", .kind = Kind::email},
};
constexpr Schema added_contact_schema{"CustomerContactAdded", added_contact_properties};
constexpr Schema changed_contact_schema{"CustomerContactName", std::span(added_contact_properties).first(2)};
constexpr Schema guid_schema{"CustomerListGuid", std::span(added_contact_properties).first(1)};

constexpr Property new_reference_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "type", .kind = Kind::string, .required = true, .description = "Any text, such as vat."},
    {.name = "value", .kind = Kind::string, .required = true},
};
constexpr Property reference_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "type", .kind = Kind::string, .nullable = false},
    {.name = "value", .kind = Kind::string, .nullable = false},
};
constexpr Schema new_reference_schema{"CustomerReferenceAdd", new_reference_properties};

constexpr Property references_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false, .description = "The guid of the customer."},
    {.name = "references", .kind = Kind::array, .nullable = false, .schema = &customer_reference_schema},
};
constexpr Schema references_schema{"CustomerReferences", references_properties};

constexpr auto contact_columns =
    std::to_array<BodyColumn>({{"name", "name"}, {"email", "email"}, {"phone", "phone"}, {"role", "role"}});

void check_contact(const json::object& body, FieldErrors& errors) { check_not_blank(body, "name", errors); }

Answer guid_answer(const Guid& guid) { return Answer::of(R"({"guid":")" + guid.to_string() + R"("})"); }

Failure list_is_full(std::string_view list) {
  return conflict("The customer already has the maximum of 1000 " + std::string(list) + ".");
}

asio::awaitable<Answer> add_contact(Call& call, Services& services) {
  const auto guid = Guid::random().to_string();
  const json::object contact = new_element(call.object(), contact_columns, guid);
  const auto held = co_await services.db.write(
      sql::customers::AddContact{
          .business = call.business(), .customer = call.id(), .contact = to_json(contact)},
      call.cause());
  if (held.empty()) throw not_found("customer");
  if (!held.front().has_room) throw list_is_full("contacts");
  const json::object added{{"guid", guid}, {"name", contact.at("name")}, {"email", contact.at("email")}};
  co_return Answer::created(to_json(added),
                            "/api/v1/Customers/" + call.id().to_string() + "/contacts/" + guid);
}

asio::awaitable<Answer> get_contact(Call& call, Services& services) {
  const auto rows = co_await services.db.read(
      sql::customers::Contact{.business = call.business(), .customer = call.id(), .contact = call.id(1)});
  if (rows.empty()) throw not_found("contact");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> change_contact(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::customers::ChangeContact{.business = call.business(),
                                    .customer = call.id(),
                                    .contact = call.id(1),
                                    .changes = to_json(changed_columns(call.object(), contact_columns))},
      call.cause());
  if (rows.empty()) throw not_found("contact");
  co_return Answer::of(json_object(rows));
}

asio::awaitable<Answer> remove_contact(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::customers::RemoveContact{
          .business = call.business(), .customer = call.id(), .contact = call.id(1)},
      call.cause());
  if (rows.affected() == 0) throw not_found("contact");
  co_return guid_answer(call.id(1));
}

asio::awaitable<Answer> add_reference(Call& call, Services& services) {
  const auto& body = call.object();
  const json::object reference{
      {"guid", Guid::random().to_string()}, {"type", body.at("type")}, {"value", body.at("value")}};
  const auto rows = co_await services.db.write(
      sql::customers::AddReference{
          .business = call.business(), .customer = call.id(), .reference = to_json(reference)},
      call.cause());
  if (rows.empty()) throw not_found("customer");
  if (!rows.front().has_room) throw list_is_full("references");
  co_return Answer::of(json_object(rows.more()));
}

asio::awaitable<Answer> remove_reference(Call& call, Services& services) {
  const auto rows = co_await services.db.write(
      sql::customers::RemoveReference{
          .business = call.business(), .customer = call.id(), .reference = call.id(1)},
      call.cause());
  if (rows.affected() == 0) throw not_found("reference");
  co_return guid_answer(call.id(1));
}

constexpr Endpoint customer_list_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/v1/Customers/{customerId}/contacts",
     .permission = Permission::operate,
     .handler = add_contact,
     .operation_id = "createCustomerContact",
     .summary = "Creates a contact of a customer",
     .description = "The new contact is an update of the customer.",
     .tag = "Customers",
     .body = &new_contact_schema,
     .body_kind = BodyKind::object,
     .answer = &added_contact_schema,
     .status = 201},
    {.method = Method::get,
     .path = "/api/v1/Customers/{customerId}/contacts/{contactId}",
     .permission = Permission::read,
     .handler = get_contact,
     .operation_id = "getCustomerContact",
     .summary = "Returns a contact of a customer",
     .description = "A contact of another customer is 404.",
     .tag = "Customers",
     .answer = &customer_contact_schema},
    {.method = Method::patch,
     .path = "/api/v1/Customers/{customerId}/contacts/{contactId}",
     .permission = Permission::operate,
     .handler = change_contact,
     .operation_id = "updateCustomerContact",
     .summary = "Updates a contact of a customer",
     .description = "Fields that are left out keep their values.",
     .tag = "Customers",
     .body = &contact_change_schema,
     .body_check = check_contact,
     .body_kind = BodyKind::object,
     .answer = &changed_contact_schema},
    {.method = Method::del,
     .path = "/api/v1/Customers/{customerId}/contacts/{contactId}",
     .permission = Permission::operate,
     .handler = remove_contact,
     .operation_id = "deleteCustomerContact",
     .summary = "Deletes a contact of a customer",
     .description = "The removal is an update of the customer.",
     .tag = "Customers",
     .answer = &guid_schema},
    {.method = Method::patch,
     .path = "/api/v1/Customers/{customerId}/references",
     .permission = Permission::operate,
     .handler = add_reference,
     .operation_id = "addCustomerReference",
     .summary = "Adds a reference to a customer",
     .description = "A reference with the type and value of another is not added again.",
     .tag = "Customers",
     .body = &new_reference_schema,
     .body_kind = BodyKind::object,
     .answer = &references_schema},
    {.method = Method::del,
     .path = "/api/v1/Customers/{customerId}/references/{referenceId}",
     .permission = Permission::operate,
     .handler = remove_reference,
     .operation_id = "deleteCustomerReference",
     .summary = "Deletes a reference of a customer",
     .description = "The removal is an update of the customer.",
     .tag = "Customers",
     .answer = &guid_schema},
};

}  // namespace

const Schema customer_contact_schema{"CustomerContact", contact_change_properties};
const Schema customer_reference_schema{"CustomerReference", reference_properties};

std::span<const Endpoint> customer_list_endpoints() { return customer_list_endpoint_table; }

}  // namespace waybill::api
