#include "api/records/history.hpp"

#include "api/records/row_json.hpp"
#include "api/route/params.hpp"

namespace waybill::api {
namespace {

constexpr Property actor_properties[] = {
    {.name = "type", .kind = Kind::string, .description = "user, token, workflow, import or sql"},
    {.name = "guid", .kind = Kind::uuid},
    {.name = "name", .kind = Kind::string, .description = "of sql the role of the session"},
};
constexpr Schema actor_schema{"Actor", actor_properties};

constexpr Property history_properties[] = {
    {.name = "from", .kind = Kind::string, .description = "null when the record was made"},
    {.name = "to", .kind = Kind::string},
    {.name = "at", .kind = Kind::timestamp},
    {.name = "by", .kind = Kind::object, .schema = &actor_schema},
    {.name = "notes", .kind = Kind::text},
};

}  // namespace

const Schema history_schema{"StatusChange", history_properties};

asio::awaitable<Answer> answer_history(Call& call, Services& services, const storage::Statement& statement,
                                       std::string_view record_kind) {
  const auto rows = co_await services.db.read(statement, key_params(call));
  if (rows.empty()) throw not_found(record_kind);
  const bool has_changes = !rows.is_null(0, 0);
  co_return Answer::of(json_array(rows.slice(0, has_changes ? rows.size() : 0, 1)));
}

}  // namespace waybill::api
