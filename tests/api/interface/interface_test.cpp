// The endpoint tables of the interface document, row by row.
#include <algorithm>
#include <optional>
#include <set>

#include "api/endpoint/endpoint.hpp"
#include "base/guid.hpp"
#include "tests/api/fixtures/account_fixture.hpp"
#include "tests/api/fixtures/prepared_business.hpp"
#include "tests/api/interface/interface_table.hpp"
#include "tests/connectors/connected_store.hpp"

namespace waybill::tests {
namespace {

using namespace interface;

constexpr std::size_t endpoints_of_the_document = 87;

std::string joined(std::vector<std::string> parts) {
  std::ranges::sort(parts);
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

/// The sorted keys of a value; for an array, those of its first entry. Scalars and null have none.
std::string shape_of(const json::value& value) {
  std::vector<std::string> parts;
  if (const auto* const object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      auto part = std::string(key);
      if (member.is_object()) part += "{" + shape_of(member) + "}";
      if (member.is_array())
        part += "[" + (member.get_array().empty() ? "" : shape_of(member.get_array().front())) + "]";
      parts.push_back(std::move(part));
    }
  }
  return joined(std::move(parts));
}

/// A shape of the table, with its keys sorted in the same way.
std::string sorted_shape(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(",{["), text.size());
    std::string part(text.substr(0, end));
    text.remove_prefix(end);
    if (!text.empty() && text.front() != ',') {
      const char open = text.front();
      std::size_t depth = 0;
      std::size_t close = 0;
      do {
        if (text[close] == '{' || text[close] == '[') ++depth;
        if (text[close] == '}' || text[close] == ']') --depth;
        ++close;
      } while (depth > 0);
      part += open + sorted_shape(text.substr(1, close - 2)) + text[close - 1];
      text.remove_prefix(close);
    }
    if (text.starts_with(',')) text.remove_prefix(1);
    parts.push_back(std::move(part));
  }
  return joined(std::move(parts));
}

/// The keys of the entry with the most keys: in other entries some objects are null.
std::string shape_of_entries(const json::array& entries) {
  std::string longest;
  for (const auto& entry : entries) {
    auto shape = shape_of(entry);
    if (shape.size() > longest.size()) longest = std::move(shape);
  }
  return longest;
}

std::set<std::string> envelope_keys(Data data) {
  if (data == Data::none) return {"success"};
  if (data == Data::list) return {"data", "page", "pageSize", "totalCount", "totalPages", "success"};
  return {"data", "success"};
}

/// The path with inverted case in its literal segments.
std::string with_other_case(std::string_view path, std::string_view documented) {
  std::string text(path);
  std::size_t at = 0;
  for (auto left = documented; at < text.size();) {
    const auto end = std::min(text.find('/', at + 1), text.size());
    const auto length = std::min(left.find('/', 1), left.size());
    if (!left.starts_with("/{")) {
      for (; at < end; ++at) {
        const bool is_letter = (text[at] >= 'a' && text[at] <= 'z') || (text[at] >= 'A' && text[at] <= 'Z');
        if (is_letter) text[at] = static_cast<char>(text[at] ^ 0x20);
      }
    }
    at = end;
    left.remove_prefix(length);
  }
  return text;
}

class InterfaceTest : public AccountTest {
 protected:
  InterfaceTest() {
    make_account(account_);
    const auto unverified = fresh_address();
    EXPECT_EQ(http.post("/api/user/register", registration(unverified)).status, 201);
    mailed_ = mailed_token(unverified);
  }

  std::string fill(std::string_view text) {
    std::string known(text);
    for (const auto& [name, value] : {std::pair<std::string_view, std::string_view>{"$account", account_},
                                      {"$password", good_password},
                                      {"$mailed", mailed_},
                                      {"$woocommerce", provider_},
                                      {"$shopKey", shop_key_},
                                      {"$shopSecret", shop_secret_},
                                      {"$shopUrl", shop_url_}}) {
      for (auto at = known.find(name); at != std::string::npos; at = known.find(name))
        known.replace(at, name.size(), value);
    }
    return business_.fill(known);
  }

  struct Target {
    std::string path;
    std::string query;
  };

  /// The target of the row's request, whose records are created as needed.
  Target target_of(const Row& row) {
    Target target{.path = std::string(row.path), .query = {}};
    auto ids = row.ids;
    if (const auto question = ids.find('?'); question != std::string_view::npos) {
      for (const char c : ids.substr(question)) {
        if (c == ' ')
          target.query += "%20";
        else if (c == '\'')
          target.query += "%27";
        else
          target.query += c;
      }
      for (const std::string_view option : {"$orderby", "$filter", "$search"}) {
        if (const auto at = target.query.find(option); at != std::string::npos)
          target.query.replace(at, 1, "%24");
      }
      target.query = fill(target.query);
      ids = ids.substr(0, question);
    }
    for (auto open = target.path.find('{'); open != std::string::npos; open = target.path.find('{')) {
      const auto end = std::min(ids.find(' '), ids.size());
      target.path.replace(open, target.path.find('}') - open + 1, fill(ids.substr(0, end)));
      ids.remove_prefix(std::min(end + 1, ids.size()));
    }
    return target;
  }

  Http& client_of(const Row& row) {
    if (row.caller == Caller::anonymous) return http;
    if (row.caller == Caller::business) return tenant_.http;
    newcomer_ = new_user();
    return *newcomer_;
  }

  Response call(const Row& row, std::string_view method) {
    const auto target = target_of(row);
    auto& client = client_of(row);
    if (row.body.empty()) return client.request(method, target.path + target.query);
    return client.request_text(method, target.path + target.query, fill(row.body),
                               {{"Content-Type", std::string(row.content_type)}});
  }

  static void expect_rate_limit(const Response& response, bool has_token) {
    for (const auto* name : {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}) {
      const auto value = response.header(name);
      EXPECT_EQ(!value.empty() && value.find_first_not_of("0123456789") == std::string::npos, has_token)
          << name << ": " << value;
    }
  }

  static void expect_data(const Row& row, const json::value& data) {
    switch (row.data) {
      case Data::object:
        ASSERT_TRUE(data.is_object());
        EXPECT_EQ(shape_of(data), sorted_shape(row.shape));
        break;
      case Data::array:
      case Data::list:
        ASSERT_TRUE(data.is_array());
        EXPECT_EQ(shape_of_entries(data.get_array()), sorted_shape(row.shape));
        break;
      case Data::empty_array:
        EXPECT_EQ(data, json::array());
        break;
      case Data::guid:
        EXPECT_TRUE(data.is_string() && Guid::parse(data.get_string()));
        break;
      default:
        break;
    }
  }

  /// `method` is the row's, or POST as the alternative to a GET that changes something.
  void expect_answer(const Row& row, std::string_view method, bool changes) {
    const auto response = call(row, method);
    const bool is_get = method == "GET";
    EXPECT_EQ(response.status, is_get ? 200 : row.status) << response.text;
    EXPECT_EQ(response.header("Content-Type"), "application/json");
    EXPECT_FALSE(response.header("X-Request-Id").empty());
    EXPECT_EQ(!response.header("Location").empty(), response.status == 201);
    if (response.status == 201 && row.caller != Caller::anonymous) {
      const auto made =
          (row.caller == Caller::newcomer ? *newcomer_ : tenant_.http).get(response.header("Location"));
      EXPECT_EQ(made.status, 200) << response.header("Location") << " " << made.text;
    }
    const bool is_private = !response.header("ETag").empty() || row.path == "/api/user/login";
    EXPECT_EQ(response.header("Cache-Control"), changes ? "no-store" : is_private ? "private, no-cache" : "");
    expect_rate_limit(response, row.caller != Caller::anonymous);
    if (row.data == Data::bare) {
      EXPECT_TRUE(response.body.is_bool()) << response.text;
      return;
    }
    ASSERT_TRUE(response.body.is_object()) << response.text;
    EXPECT_EQ(names_of(response.body), envelope_keys(row.data)) << response.text;
    EXPECT_EQ(at(response.body, "success"), true);
    expect_data(row, response.data());
  }

  const std::string account_ = fresh_address();
  std::string mailed_;
  const WooCommerceSimulator shop_;
  const std::string provider_ = provider_guid("woocommerce");
  const std::string shop_key_ = shop_.key(), shop_secret_ = shop_.secret(), shop_url_ = shop_.url();
  Tenant tenant_{world.waybill, "InterfaceTest." + account_};
  PreparedBusiness business_{tenant_};
  std::optional<Http> newcomer_;
};

const api::Endpoint* endpoint_of(std::string_view method, std::string_view path) {
  static const auto all = api::all_endpoints();
  static constexpr std::string_view names[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
  const auto found = std::ranges::find_if(all, [&](const api::Endpoint& endpoint) {
    std::string documented(endpoint.path);
    if (const auto at = documented.find(":text"); at != std::string::npos) documented.erase(at, 5);
    return documented == path && names[static_cast<std::size_t>(endpoint.method)] == method;
  });
  return found == all.end() ? nullptr : &*found;
}

TEST(Interface, HasAllEndpointsOfTheDocumentAsSpelledThere) {
  std::set<std::string> distinct;
  for (const auto& row : rows()) {
    distinct.insert(std::string(row.method) + " " + std::string(row.path));
    EXPECT_NE(endpoint_of(row.method, row.path), nullptr) << row.method << " " << row.path;
  }
  EXPECT_EQ(distinct.size(), endpoints_of_the_document);
}

TEST_F(InterfaceTest, EveryEndpointRespondsAsDocumented) {
  for (const auto& row : rows()) {
    SCOPED_TRACE(std::string(row.method) + " " + std::string(row.path));
    const auto* const endpoint = endpoint_of(row.method, row.path);
    ASSERT_NE(endpoint, nullptr);
    expect_answer(row, row.method, endpoint->changes);
    if (endpoint->changes) expect_answer(row, "POST", true);
  }
  EXPECT_EQ(tenant_.entries_without_request(), std::vector<std::string>())
      << "an endpoint that writes an entry lacks is_audited";
}

TEST_F(InterfaceTest, HeadIsAnsweredForReadingGetsAndRefusedForChangingGets) {
  for (const auto& row : rows()) {
    if (row.method != "GET") continue;
    SCOPED_TRACE(row.path);
    const auto target = target_of(row);
    const auto response = tenant_.http.request("HEAD", target.path + target.query);
    EXPECT_EQ(response.text, "");
    if (endpoint_of(row.method, row.path)->changes) {
      EXPECT_EQ(response.status, 405);
      EXPECT_EQ(response.header("Allow"), "GET, POST, OPTIONS");
      continue;
    }
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.header("Content-Type"), "application/json");
    EXPECT_EQ(response.header("Content-Length"),
              std::to_string(tenant_.http.get(target.path + target.query).text.size()));
  }
}

/// A path of the row that leads to no record.
std::string path_without_record(const Row& row) {
  std::string path(row.path);
  for (auto open = path.find('{'); open != std::string::npos; open = path.find('{'))
    path.replace(open, path.find('}') - open + 1, "00000000-0000-4000-8000-00000000dead");
  return path;
}

TEST_F(InterfaceTest, EveryPathListsItsMethodsForOptionsAndWrongMethodsWithoutAToken) {
  for (const auto& row : rows()) {
    SCOPED_TRACE(row.path);
    const auto path = path_without_record(row);
    const auto options = http.request("OPTIONS", path);
    EXPECT_EQ(options.status, 204);
    const auto allow = options.header("Allow");
    EXPECT_NE((", " + allow + ",").find(", " + std::string(row.method) + ","), std::string::npos) << allow;
    EXPECT_TRUE(allow.ends_with("OPTIONS")) << allow;
    for (const std::string_view method : {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE"}) {
      if ((", " + allow + ",").find(", " + std::string(method) + ",") != std::string::npos) continue;
      const auto response = http.request(method, path);
      EXPECT_EQ(response.status, 405) << method;
      EXPECT_EQ(response.header("Allow"), allow) << method;
      if (method != "HEAD") EXPECT_EQ(response.error_code(), "METHOD_NOT_ALLOWED") << response.text;
    }
  }
}

TEST_F(InterfaceTest, LiteralSegmentsOfEveryPathMatchInAnyCase) {
  for (const auto& row : rows()) {
    SCOPED_TRACE(row.path);
    const auto path = path_without_record(row);
    const auto other = with_other_case(path, row.path);
    EXPECT_NE(other, path);
    EXPECT_EQ(http.request("OPTIONS", other).header("Allow"), http.request("OPTIONS", path).header("Allow"));
    if (row.method != "GET" || endpoint_of(row.method, row.path)->changes) continue;
    const auto target = target_of(row);
    const auto response = tenant_.http.get(with_other_case(target.path, row.path) + target.query);
    EXPECT_EQ(response.status, 200) << response.text;
  }
}

}  // namespace
}  // namespace waybill::tests
