#include "tests/api/small_api.hpp"

#include <stdexcept>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/route/paging.hpp"
#include "api/route/services.hpp"
#include "base/crypto.hpp"
#include "base/error.hpp"

namespace waybill::tests {
namespace {

using api::Answer;
using api::BodyKind;
using api::Call;
using api::Kind;
using api::Method;
using api::Permission;
using api::Property;
using api::Role;
using api::Route;
using api::Schema;
using api::Services;

constexpr Property thing_properties[] = {
    {.name = "name", .kind = Kind::string, .required = true},
    {.name = "quantity", .kind = Kind::integer, .minimum = 0},
};
constexpr Schema thing{"Thing", thing_properties};
constexpr Property guid_properties[] = {{.name = "guid", .kind = Kind::uuid, .required = true}};
constexpr Schema guid_only{"GuidOnly", guid_properties};

asio::awaitable<Answer> return_guid(Call& call, Services&) {
  co_return Answer::of("{\"guid\":\"" + call.id().to_string() + "\"}");
}

asio::awaitable<Answer> return_text(Call& call, Services&) {
  co_return Answer::of("\"" + call.path_text + "\"");
}

asio::awaitable<Answer> create_thing(Call& call, Services&) {
  co_return Answer::created(json::serialize(call.body), "/things/1");
}

asio::awaitable<Answer> return_count(Call& call, Services&) {
  co_return Answer::of(std::to_string(call.body.get_array().size()));
}

asio::awaitable<Answer> return_size(Call& call, Services&) {
  co_return Answer::of(std::to_string(call.raw_body.size()));
}

asio::awaitable<Answer> say_nothing(Call&, Services&) { co_return Answer::none(); }

asio::awaitable<Answer> list(Call& call, Services&) { co_return page_answer("[1,2]", page_of(call), 101); }

asio::awaitable<Answer> toggle(Call&, Services&) {
  ++small_api_state().toggles;
  co_return Answer::none();
}

asio::awaitable<Answer> say_true(Call&, Services&) { co_return Answer::of("true"); }

asio::awaitable<Answer> return_large_body(Call&, Services&) {
  co_return Answer::of("\"" + std::string(16UL * 1024 * 1024, 'x') + "\"");
}

asio::awaitable<Answer> fail(Call& call, Services&) {
  const auto how = call.path_text;
  if (how == "unique") throw storage::StatementError("duplicate key", "23505", "customers_email_unique");
  if (how == "away") throw storage::DatabaseUnavailable("no route");
  if (how == "slow") throw storage::StatementError("canceling statement", "57014", "");
  if (how == "missing") throw not_found("order");
  if (how == "odd") throw 42;
  throw std::runtime_error("secret detail");
}

asio::awaitable<Answer> wait(Call&, Services&) {
  auto& state = small_api_state();
  asio::steady_timer timer(co_await asio::this_coro::executor);
  ++state.waiting;
  while (!state.released) {
    timer.expires_after(std::chrono::milliseconds(1));
    co_await timer.async_wait(asio::use_awaitable);
  }
  --state.waiting;
  co_return Answer::none();
}

constexpr Route row(Method method, std::string_view path, Permission permission, api::Handler handler) {
  return {
      .method = method, .path = path, .permission = permission, .handler = handler, .summary = {}, .tag = {}};
}

std::vector<Route> routes() {
  std::vector<Route> rows = {
      row(Method::get, "/guid/{guid}", Permission::read, return_guid),
      row(Method::get, "/text/{word:text}", Permission::read, return_text),
      row(Method::del, "/guid/{guid}", Permission::operate, say_nothing),
      row(Method::post, "/administer", Permission::administer, say_nothing),
      row(Method::get, "/me", Permission::signed_in, say_nothing),
      row(Method::get, "/public", Permission::everyone, say_nothing),
      row(Method::get, "/much", Permission::everyone, return_large_body),
      row(Method::get, "/wait", Permission::everyone, wait),
      row(Method::get, "/fail/{how:text}", Permission::everyone, fail),
  };
  auto& post = rows.emplace_back(row(Method::post, "/things", Permission::operate, create_thing));
  post.body = &thing;
  post.body_kind = BodyKind::object;
  auto& bulk = rows.emplace_back(row(Method::post, "/things/delete", Permission::operate, return_count));
  bulk.body = &guid_only;
  bulk.body_kind = BodyKind::array;
  rows.emplace_back(row(Method::post, "/upload", Permission::operate, return_size)).body_kind =
      BodyKind::multipart;
  auto& pages = rows.emplace_back(row(Method::get, "/list", Permission::read, list));
  pages.query = api::list_parameters;
  pages.paginated = true;
  rows.emplace_back(row(Method::get, "/toggle", Permission::operate, toggle)).changes = true;
  rows.emplace_back(row(Method::get, "/bare", Permission::everyone, say_true)).bare = true;
  return rows;
}

}  // namespace

SmallApiState& small_api_state() {
  static SmallApiState state;
  return state;
}

FixedTokens::FixedTokens() {
  const auto business = Guid::random();
  const auto add = [&](std::string_view name, Role role, std::string_view plan) -> api::TokenRecord& {
    const auto hash = sha256("wb_" + std::string(name));
    return records_[hash] = {.principal = {.business_id = business,
                                           .token_id = Guid::random(),
                                           .user_id = {},
                                           .name = std::string(name),
                                           .role = role},
                             .plan = std::string(plan),
                             .expires_at = {}};
  };
  add("admin", Role::admin, "unlimited");
  add("operator", Role::operator_, "unlimited");
  add("viewer", Role::viewer, "unlimited");
  add("standard", Role::admin, "standard");
  add("free", Role::admin, "free");
  add("small", Role::admin, "small");
  add("unplanned", Role::admin, "gone");
  add("revoked", Role::admin, "unlimited").revoked = true;
  add("expired", Role::admin, "unlimited").expires_at = system_clock().now() - std::chrono::seconds(1);
  auto& user_without_business = add("user_without_business", Role::owner, "");
  user_without_business.principal.business_id = {};
  user_without_business.principal.is_user = true;
  auto& user = add("user", Role::owner, "free");
  user.principal.is_user = true;
}

asio::awaitable<std::optional<api::TokenRecord>> FixedTokens::find(const api::TokenHash& hash) {
  ++lookups;
  const auto found = records_.find(hash);
  if (found == records_.end()) co_return std::nullopt;
  co_return found->second;
}

asio::awaitable<void> FixedTokens::touch(const api::Principal&) {
  ++touches;
  co_return;
}

SmallApi::SmallApi(api::HttpLimits limits, api::Gate::Options options, std::size_t threads)
    : secrets_(SecretBox::Key{}),
      api_({.server = {.port = 0, .threads = threads, .limits = limits, .proxies = options.trusted_proxies},
            .gate = std::move(options),
            .database = {.url = "postgresql://nobody@127.0.0.1:1/none"},
            .plans = api::Plans::parse("small=3"),
            .settings = {},
            .maps = {},
            .stores = {},
            .routes = routes(),
            .tokens = &tokens_,
            .leases = &leases_},
           secrets_) {
  small_api_state().released = false;
  api_.start();
}

SmallApi::~SmallApi() {
  small_api_state().released = true;
  api_.stop(std::chrono::seconds(10));
}

RawConnection connect(const SmallApi& api) { return {"127.0.0.1", api.port()}; }

Response ask(RawConnection& connection, std::string_view request) {
  connection.send(request);
  return connection.read_response(default_deadline, request.starts_with("HEAD "));
}

Response ask(const SmallApi& api, std::string_view request) {
  auto connection = connect(api);
  return ask(connection, request);
}

}  // namespace waybill::tests
