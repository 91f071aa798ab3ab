// The messages that runs send: mails, push messages and webhooks.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/time_range.hpp"
#include "api/threads/analysis.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "api/workflows/trials/tested_steps.hpp"
#include "base/blanks.hpp"
#include "base/error.hpp"
#include "matching/past_conditions.hpp"
#include "matching/steps.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/settings/address_hash.hpp"
#include "storage/sql/messages.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t most_runs = 500;     // whose messages a list covers
constexpr std::int64_t most_records = 200;  // orders of a customer, and shipments
constexpr std::size_t longest_address =
    320;  // RFC 3696, erratum 1690: 64 characters before the @, 255 after it

constexpr std::string_view types[] = {"send_email", "send_push", "webhook"};
constexpr std::string_view statuses[] = {"waiting", "sent", "dead", "skipped"};

constexpr Property sending_workflow_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .description = "The name that it had in this version."},
    {.name = "version", .kind = Kind::integer, .nullable = false},
};
constexpr Schema sending_workflow_schema{"MessageWorkflow", sending_workflow_properties};

constexpr Property message_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "at",
     .kind = Kind::timestamp,
     .nullable = false,
     .description = "When the step ended; while it waits, when it began."},
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = types},
    {.name = "to",
     .kind = Kind::text,
     .description = "Of a mail its addresses, separated by commas, without copies; of a push message `all` "
                    "or the guid of "
                    "a user; of a webhook its URL. Null while there is no text, and once it is erased.",
     .example = R"("ada@example.com")"},
    {.name = "subject",
     .kind = Kind::text,
     .description = "Of a push message its title; null for a webhook.",
     .example = R"("Your order ORD-000001 is on its way")"},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = statuses, .example = R"("sent")"},
    {.name = "code",
     .kind = Kind::string,
     .description = "Why it is not sent, such as LIMITED, WINDOW or SMTP_550.",
     .example = "null"},
    {.name = "runId", .kind = Kind::uuid, .nullable = false},
    {.name = "step", .kind = Kind::integer, .nullable = false, .description = "From 1."},
    {.name = "workflow", .kind = Kind::object, .nullable = false, .schema = &sending_workflow_schema},
    {.name = "trigger", .kind = Kind::string, .nullable = false, .schema = &run_trigger_schema},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId", .kind = Kind::uuid, .description = "Null for one message about several records."},
    {.name = "response",
     .kind = Kind::text,
     .description = "The first 4 KiB of the last answer.",
     .example = R"("250 accepted")"},
    {.name = "request",
     .kind = Kind::any,
     .schema = &planned_request_schema,
     .description =
         "The text as it was sent, without secrets; null while there is none, and once it is erased."},
    {.name = "conditions",
     .kind = Kind::array,
     .nullable = false,
     .schema = &condition_schema,
     .description = "The comparisons of the workflow's conditions with the values as of the event. Empty "
                    "without an event, "
                    "and once it is no longer stored."},
};
constexpr Schema message_schema{"Message", message_properties};
constexpr Schema entry_schema{"MessageEntry", std::span(message_properties).first(14)};

constexpr Parameter message_parameters[] = {
    page_parameter,
    page_size_parameter,
    {.name = "address",
     .kind = Kind::string,
     .max_length = longest_address,
     .description = "A whole e-mail address, without regard to case: mails to it, also as a copy, and push "
                    "messages to the "
                    "user with this address."},
    {.name = "customerId",
     .kind = Kind::uuid,
     .description =
         "Messages about the customer, and about the newest 200 orders and shipments of the customer."},
    {.name = "entityId", .kind = Kind::uuid, .description = "Messages about the record."},
    {.name = "workflowId", .kind = Kind::uuid},
    {.name = "from", .kind = Kind::date_or_timestamp, .description = "The earliest time."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "The latest time; a date includes the day."},
};

/// The subject of a list: exactly one of the four message_parameters.
struct Selection {
  std::string_view name;
  std::string value;
};

Selection selection_of(const Call& call) {
  std::optional<Selection> selection;
  for (const std::string_view name : {"address", "customerId", "entityId", "workflowId"}) {
    const auto value = call.parameter(name);
    if (!value) continue;
    if (selection)
      throw invalid(std::string(name), "must not stand next to `" + std::string(selection->name) + "`");
    selection = {name, single_spaced(*value)};
  }
  if (!selection) throw invalid("address", "one of address, customerId, entityId and workflowId is required");
  return *selection;
}

struct Messages {
  std::int64_t total = 0;
  std::string data = "[]";
};

/// Reads a list with a blocking session.
class MessageList {
 public:
  MessageList(const Call& call, const SecretBox& secrets)
      : secrets_(secrets),
        business_(call.business()),
        selection_(selection_of(call)),
        page_(page_of(call)),
        from_(parse_bound(call.parameter("from"), false)),
        end_(parse_bound(call.parameter("to"), true)) {
    require_ascending(from_, end_);
  }

  /// The plans of the statements are kept: to plan one for all partitions takes longer than to run it.
  Messages read(storage::Session& session) const {
    session.execute(storage::index_walking_plans);
    if (selection_.name == "address") return to_address(session);
    const Guid selected = Guid::parse(selection_.value).value();
    if (selection_.name == "workflowId") return run<sql::messages::OfWorkflow>(session, selected);
    return about(session, selection_.name == "entityId" ? std::vector{selected}
                                                        : records_of_customer(session, selected));
  }

 private:
  Messages to_address(storage::Session& session) const {
    const auto hash = storage::read_address_hash(session, secrets_);
    // The nil guid is the hash of no address.
    return run<sql::messages::OfAddress>(session, hash ? hash->of(business_, selection_.value) : Guid(),
                                         selection_.value);
  }

  Messages about(storage::Session& session, const std::vector<Guid>& records) const {
    if (records.empty()) return {};
    return run<sql::messages::OfRecords>(session, records);
  }

  std::vector<Guid> records_of_customer(storage::Session& session, const Guid& customer) const {
    std::vector<Guid> records;
    for (const auto& row : session.run(sql::messages::RecordsOfCustomer{
             .business = business_, .customer = customer, .limit = most_records}))
      records.push_back(row.guid);
    return records;
  }

  /// Runs a list's statement, which has its own message_parameters after the business and at the end.
  template <typename Statement, typename Selected, typename... More>
  Messages run(storage::Session& session, const Selected& selected, const More&... more) const {
    const auto rows = session.run(Statement{business_, selected, storage::no_record, from_, end_, most_runs,
                                            page_.limit(), page_.offset(), more...});
    const auto row = rows.front();
    return {row.total, std::string(row.data)};
  }

  const SecretBox& secrets_;
  Guid business_;
  Selection selection_;
  Page page_;
  std::optional<Time> from_, end_;
};

asio::awaitable<Answer> list_messages(Call& call, Services& services) {
  const MessageList list(call, services.secrets);
  auto messages = co_await services.analysis.run(
      services.db, call.business(), [list](storage::Session& session) { return list.read(session); });
  co_return page_answer(std::move(messages.data), page_of(call), messages.total);
}

/// The message as the answer shows it; nullopt if there is none.
std::optional<std::string> read_message(storage::Session& session, const Guid& business,
                                        const Guid& message) {
  session.execute(storage::index_walking_plans);
  const auto rows =
      session.run(sql::messages::Get{.business = business,
                                     .message = message,
                                     .no_record = storage::no_record,
                                     .most_steps = static_cast<std::int32_t>(matching::max_steps)});
  const auto row = rows.find();
  if (!row) return std::nullopt;
  session.execute(storage::usual_plans);
  json::object shown = json::parse(row->message).as_object();
  shown["request"] = row->request ? json::parse(*row->request) : json::value();
  shown["conditions"] = json::array();
  if (row->trigger && row->conditions) {
    shown["conditions"] =
        conditions_json(matching::past_conditions(session, {.business = business,
                                                            .entity = row->entity,
                                                            .event = row->event_id,
                                                            .trigger = *row->trigger,
                                                            .conditions = *row->conditions}));
  }
  return to_json(shown);
}

asio::awaitable<Answer> get_message(Call& call, Services& services) {
  auto message = co_await services.analysis.run(
      services.db, call.business(),
      [business = call.business(), guid = call.id()](storage::Session& session) {
        return read_message(session, business, guid);
      });
  if (!message) throw not_found("message");
  co_return Answer::of(*std::move(message));
}

constexpr Endpoint message_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/messages",
     .permission = Permission::read,
     .handler = list_messages,
     .operation_id = "listMessages",
     .summary = "Lists mails, push messages and webhooks of workflows, newest first",
     .description = "Exactly one of address, customerId, entityId and workflowId is required. One entry for "
                    "each begun step that sends: "
                    "also one that waits, failed or was skipped. A list covers the newest 500 runs; `to` "
                    "reaches earlier ones. An entry "
                    "is kept as long as its run.",
     .tag = "Runs",
     .query = message_parameters,
     .answer = &entry_schema,
     .answer_is_array = true,
     .paginated = true},
    {.method = Method::get,
     .path = "/api/messages/{guid}",
     .permission = Permission::operate,
     .handler = get_message,
     .operation_id = "getMessage",
     .summary = "Returns a message with its text as it was sent, and the conditions with their values",
     .description = "The text is kept as long as the run, and cleared by the erasure of its recipient.",
     .tag = "Runs",
     .answer = &message_schema,
     .from_standby = true},
};

}  // namespace

std::span<const Endpoint> message_endpoints() { return message_endpoint_table; }

}  // namespace waybill::api
