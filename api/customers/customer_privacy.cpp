// Erasing a person, and the export of what is stored about one.
#include <string>
#include <utility>

#include "api/customers/customer_erasure.hpp"
#include "api/customers/customer_export.hpp"
#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "base/clock.hpp"
#include "storage/sql/audit_log.sql.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t longest_export = 48UL * 1024 * 1024;

constexpr Property erased_properties[] = {
    {.name = "orders",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of the person's orders."},
    {.name = "shipments",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of the person's shipments."},
    {.name = "events",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of stored events that held the person's data."},
    {.name = "runs",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of runs whose messages held the person's data."},
};
constexpr Schema erased_schema{"Erasure", erased_properties};

constexpr Property export_properties[] = {
    {.name = "exportedAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "customer",
     .kind = Kind::object,
     .nullable = false,
     .description = "As GET /api/v1/Customers/{customerId} returns it."},
    {.name = "deletedCustomers",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "Deleted customers with an e-mail address that the customer has or had. Their orders and "
                    "shipments are the person's, too."},
    {.name = "orders",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "The orders. `deletedAt` is not null for a deleted one."},
    {.name = "shipments",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description =
         "The shipments, each with its traces; also those without customer and order that go to the "
         "person's e-mail address. `deletedAt` is not null for a deleted one."},
    {.name = "purchases",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "The purchases of labels of these shipments, as GET /api/v1/purchases returns them, each "
                    "with the file of its label in base64. `label` is null if there is none."},
    {.name = "statusHistory",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "The status changes of these orders and shipments, with their notes."},
    {.name = "events",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "Changes of these records, with the columns before and after."},
    {.name = "runs",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "Runs of workflows for these records, with what was sent."},
    {.name = "messages",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "The mails, push messages and webhooks of these runs, as GET /api/messages lists them."},
    {.name = "scheduledRuns",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description =
         "Runs of schedules whose messages name the person or these records. The messages are left "
         "out, because they show other persons, too."},
    {.name = "uploads",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "Rows of uploads that are not confirmed yet."},
    {.name = "contactOf",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "Contacts of other customers that are the person."},
    {.name = "views",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::any,
     .description = "The saved views of users whose name or query names the person."},
};
constexpr Schema export_schema{"CustomerExport", export_properties};

asio::awaitable<Answer> erase(Call& call, Services& services) {
  const ErasureTarget target{.business = call.business(),
                             .customer = call.id(),
                             .cause = call.cause().json,
                             .mail_directory = services.settings.mail_directory};
  const auto counts = co_await erase_customer(services.analysis, services.secrets, target);
  co_return Answer::of(to_json(json::object{{"orders", counts.orders},
                                            {"shipments", counts.shipments},
                                            {"events", counts.events},
                                            {"runs", counts.runs}}));
}

/// The document, as JSON; empty if there is no such customer.
std::string document_of(storage::Session& session, const CustomerExport& wanted) {
  std::string document;
  export_customer(session, wanted, [&](std::string_view part) {
    document += part;
    return document.size() <= longest_export;
  });
  if (document.size() > longest_export) {
    throw Failure(
        ErrorCode::payload_too_large,
        "The export has more than 48 MiB; the operator can write it to a file with `waybill business "
        "export --customer " +
            wanted.customer.to_string() + "`.");
  }
  return document;
}

asio::awaitable<Answer> read_export(Call& call, Services& services) {
  const auto business = call.business();
  auto document = co_await services.analysis.run(
      business, [wanted = CustomerExport{.business = business,
                                         .customer = call.id(),
                                         .public_url = services.settings.public_url,
                                         .at = services.clock.now()}](storage::Session& session) {
        return document_of(session, wanted);
      });
  if (document.empty()) throw not_found("customer");
  co_await services.db.write(storage::sql::audit_log::Note{.business = business,
                                                           .action = "exported",
                                                           .entity_type = "customer",
                                                           .entity = call.id(),
                                                           .entity_name = std::nullopt},
                             call.cause());
  co_return Answer::of(std::move(document));
}

constexpr ErrorCode export_errors[] = {ErrorCode::payload_too_large};

constexpr Endpoint customer_privacy_endpoint_table[] = {
    {.method = Method::post,
     .path = "/api/v1/Customers/{customerId}/erase",
     .permission = Permission::operate,
     .handler = erase,
     .operation_id = "eraseCustomer",
     .summary = "Erases the personal data of a customer",
     .description =
         "Replaces name, e-mail, phone and addresses in the customer, in deleted customers with the same "
         "e-mail address, in their orders and shipments, in "
         "stored events, runs and mails, and removes the person from the contacts of other customers. It "
         "cannot be undone. It can be repeated.",
     .tag = "Customers",
     .answer = &erased_schema,
     .is_audited = true,
     .job = JobKind::erasure},
    {.method = Method::get,
     .path = "/api/v1/Customers/{customerId}/export",
     .permission = Permission::read,
     .handler = read_export,
     .operation_id = "exportCustomer",
     .summary = "Returns everything that is stored about a customer",
     .description = "Up to 48 MiB; the operator can write a larger one to a file.",
     .tag = "Customers",
     .answer = &export_schema,
     .errors = export_errors,
     .is_audited = true,
     .job = JobKind::export_},
};

}  // namespace

std::span<const Endpoint> customer_privacy_endpoints() { return customer_privacy_endpoint_table; }

}  // namespace waybill::api
