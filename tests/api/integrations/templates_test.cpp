#include <future>
#include <set>

#include <gmock/gmock.h>

#include "base/guid.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/eventually.hpp"

namespace waybill::tests {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class TemplatesTest : public ApiTest {
 protected:
  static std::string path_of(std::string_view guid) {
    return "/api/workflows/templates/" + std::string(guid);
  }

  static std::string built_in(std::string_view code) {
    return Guid::from_name(namespace_url, "waybill:template:" + std::string(code)).to_string();
  }

  static json::object mail(const json::object& more = {}) {
    json::object body{{"code", "thanks"},     {"name", "Thanks"}, {"entityType", "Order"},
                      {"type", "send_email"}, {"subject", "S"},   {"body", "For {{orderNumber}}"}};
    for (const auto& [key, value] : more) body[key] = value;
    return body;
  }

  std::string create(const json::object& body) {
    const auto response = http.post("/api/workflows/templates", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }

  json::object action(std::string_view code) const {
    return {{"type", "send_email"}, {"recipient", "ada@example.com"}, {"template", code}};
  }

  json::object workflow(json::object of_action, std::string_view trigger = "order_updated") const {
    std::string entity(trigger.substr(0, trigger.find('_')));
    entity[0] = static_cast<char>(entity[0] - 'a' + 'A');
    return {{"name", "W"},
            {"entityType", entity},
            {"triggerId", trigger_guid(trigger)},
            {"action", std::move(of_action)}};
  }

  json::object preview(std::string_view guid, std::string_view entity) {
    const auto response = http.post(path_of(guid) + "/preview", {{"entityId", entity}});
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data().as_object();
  }

  static std::set<std::string> names_of(const json::value& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.as_object()) names.insert(std::string(name));
    return names;
  }

  const std::set<std::string> all_names{"guid", "code", "name",  "entityType", "type",   "subject",
                                        "body", "html", "title", "url",        "version"};
};

TEST_F(TemplatesTest, CreatingReturnsTheWholeTemplate) {
  const auto response = http.post("/api/workflows/templates", mail({{"url", "https://example.com/stop"}}));
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid},
                                          {"code", "thanks"},
                                          {"name", "Thanks"},
                                          {"entityType", "Order"},
                                          {"type", "send_email"},
                                          {"subject", "S"},
                                          {"body", "For {{orderNumber}}"},
                                          {"html", nullptr},
                                          {"title", nullptr},
                                          {"url", "https://example.com/stop"},
                                          {"version", 1}}));
  EXPECT_EQ(http.get(path_of(guid)).data(), response.data());
  const auto list = http.get("/api/workflows/templates");
  ASSERT_EQ(list.status, 200) << list.text;
  EXPECT_EQ(at(list.data(), "0"), response.data()) << "the business's templates come first";
  EXPECT_FALSE(list.body.as_object().contains("totalCount")) << "a plain array";
  for (const auto& entry : list.data().as_array()) EXPECT_EQ(names_of(entry), all_names);
}

TEST_F(TemplatesTest, AllBadFieldsAreReportedAtOnce) {
  expect_invalid(http.post("/api/workflows/templates", json::object{}),
                 {"code", "name", "entityType", "type"});
  expect_invalid(http.post("/api/workflows/templates", {{"code", "a b"},
                                                        {"name", " "},
                                                        {"entityType", "Invoice"},
                                                        {"type", "send_email"},
                                                        {"subject", "{{#open}}"},
                                                        {"html", std::string(10'001, 'x')},
                                                        {"title", 5},
                                                        {"colour", "red"}}),
                 {"code", "name", "entityType", "subject", "html", "title", "colour"});
  expect_invalid(http.post("/api/workflows/templates", mail({{"type", "update_status"}})), {"type"});
  for (const auto* code : {"", "-a", "ü", "a/b", "a b"}) {
    expect_invalid(http.post("/api/workflows/templates", mail({{"code", code}})), {"code"});
  }
  expect_invalid(http.post("/api/workflows/templates", mail({{"code", std::string(65, 'c')}})), {"code"});
  create(mail({{"code", std::string(64, 'c')}}));
}

TEST_F(TemplatesTest, AMustacheErrorShowsItsFieldAndCharacter) {
  const auto response = http.post("/api/workflows/templates", mail({{"body", "Grüße {{#items}}"}}));
  expect_invalid(response, {"body"});
  EXPECT_NE(text_at(response.details(), "body").find("at character 7"), std::string::npos) << response.text;
}

TEST_F(TemplatesTest, EachTypeHasItsRequiredParts) {
  expect_invalid(http.post("/api/workflows/templates", mail({{"subject", nullptr}, {"body", nullptr}})),
                 {"subject", "body"});
  create(mail({{"body", nullptr}, {"html", "<p>"}}));
  expect_invalid(http.post("/api/workflows/templates", mail({{"type", "send_push"}, {"code", "p"}})),
                 {"title"});
  create(mail({{"type", "send_push"}, {"code", "p"}, {"title", "T"}, {"body", nullptr}}));
  expect_invalid(
      http.post("/api/workflows/templates", mail({{"type", "webhook"}, {"code", "w"}, {"body", " "}})),
      {"body"});
  const auto guid = create(mail({{"type", "webhook"}, {"code", "w"}, {"subject", nullptr}}));
  expect_invalid(http.put(path_of(guid), {{"body", nullptr}}), {"body"});
  expect_invalid(http.put(path_of(guid), {{"type", "send_push"}}), {"title"});
}

TEST_F(TemplatesTest, ACodeIsUniqueInItsBusiness) {
  const auto guid = create(mail());
  expect_refused(http.post("/api/workflows/templates", mail()), 409, "CONFLICT");
  const auto other = create(mail({{"code", "other"}}));
  expect_refused(http.put(path_of(other), {{"code", "thanks"}}), 409, "CONFLICT");
  EXPECT_EQ(other_business().http.post("/api/workflows/templates", mail()).status, 201);
  EXPECT_EQ(http.del(path_of(guid)).status, 200);
  create(mail());
}

TEST_F(TemplatesTest, PutMergesAndStoresAVersionForEachChange) {
  const auto guid = create(mail());
  auto response = http.put(path_of(guid), {{"html", "<p>{{orderNumber}}</p>"}, {"body", nullptr}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(at(response.data(), "version"), 2);
  EXPECT_EQ(text_at(response.data(), "subject"), "S");
  EXPECT_TRUE(at(response.data(), "body").is_null());
  response = http.put(path_of(guid), http.get(path_of(guid)).data());
  EXPECT_EQ(response.status, 200) << "a GET response can be PUT back";
  EXPECT_EQ(at(response.data(), "version"), 2) << "without a new version";
  expect_invalid(http.put(path_of(guid), {{"subject", "{{"}, {"entityType", "x"}}),
                 {"subject", "entityType"});
  EXPECT_EQ(tenant.sql.value("select string_agg(definition ->> 'body', ',' order by version) || count(*) "
                             "from template_versions where template_id = $1",
                             {guid}),
            "For {{orderNumber}}2");
}

TEST_F(TemplatesTest, BuiltInTemplatesAreVisibleToAllAndReadOnly) {
  const auto list = http.get("/api/workflows/templates");
  EXPECT_EQ(other_business().http.get("/api/workflows/templates").data(), list.data());
  std::set<std::string> codes;
  for (const auto& entry : list.data().as_array()) {
    codes.insert(text_at(entry, "code"));
    EXPECT_EQ(text_at(entry, "guid"), built_in(text_at(entry, "code")));
    EXPECT_EQ(http.get(path_of(text_at(entry, "guid"))).data(), entry);
  }
  for (const auto* code : {"order_created", "order_shipped", "order_delivered", "shipment_out_for_delivery",
                           "shipment_exception"}) {
    EXPECT_TRUE(codes.contains(code)) << code;
  }
  const auto path = path_of(built_in("order_shipped"));
  expect_refused(http.put(path, {{"name", "x"}}), 403, "FORBIDDEN");
  expect_refused(http.del(path), 403, "FORBIDDEN");
}

TEST_F(TemplatesTest, AReplacementOfABuiltInTemplateHasItsTypeAndEntityType) {
  expect_invalid(http.post("/api/workflows/templates",
                           mail({{"code", "order_shipped"}, {"type", "webhook"}, {"entityType", "Product"}})),
                 {"type", "entityType"});
  create(mail({{"code", "order_shipped"}}));
}

TEST_F(TemplatesTest, ATemplateOfAnotherBusinessIs404) {
  const auto foreign_template =
      text_at(other_business().http.post("/api/workflows/templates", mail()).data(), "guid");
  for (const auto& guid : {foreign_template, std::string(unknown_guid)}) {
    expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
    expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
    expect_refused(http.post(path_of(guid) + "/preview", {{"entityId", unknown_guid}}), 404, "NOT_FOUND");
  }
  expect_refused(http.post("/api/workflows/configure", workflow(action("thanks"))), 400, "VALIDATION_ERROR");
  expect_invalid(http.get(path_of("x")), {"guid"});
}

TEST_F(TemplatesTest, OnlyAdministratorsChangeTemplatesAndAllRolesMayPreview) {
  const auto guid = create(mail());
  const auto order = tenant.create_order();
  for (const auto* role : {"viewer", "operator"}) {
    const auto made = tests::run({waybill_binary(), "token", "create", "--database-url",
                                  world.waybill.database_url(), "--business", tenant.name, "--role", role});
    ASSERT_EQ(made.status, 0) << made.standard_error;
    auto other = http.with_token(made.standard_output.substr(0, made.standard_output.find('\n')));
    EXPECT_EQ(other.get("/api/workflows/templates").status, 200) << role;
    EXPECT_EQ(other.post(path_of(guid) + "/preview", {{"entityId", order}}).status, 200) << role;
    EXPECT_EQ(other.post("/api/workflows/templates", mail({{"code", "x"}})).status, 403) << role;
    EXPECT_EQ(other.put(path_of(guid), {{"name", "x"}}).status, 403) << role;
    EXPECT_EQ(other.del(path_of(guid)).status, 403) << role;
  }
}

TEST_F(TemplatesTest, ConfiguringAcceptsStoredTemplates) {
  create(mail());
  create(mail({{"code", "hook"}, {"type", "webhook"}}));
  const auto configure = [&](const json::object& body) {
    return http.post("/api/workflows/configure", body);
  };
  expect_invalid(configure(workflow(action("unknown"))), {"action.template"});
  expect_invalid(configure(workflow(action("hook"))), {"action.template"});
  expect_invalid(configure(workflow(action("thanks"), "product_updated")), {"action.template"});
  EXPECT_EQ(configure(workflow(action("order_created"))).status, 201) << "a built-in template";
  const auto made = configure(workflow(action("thanks")));
  ASSERT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(at(made.data(), "action"), json::value({{"type", "send_email"},
                                                    {"recipient", "ada@example.com"},
                                                    {"template", "thanks"},
                                                    {"subject", nullptr},
                                                    {"body", nullptr},
                                                    {"html", nullptr},
                                                    {"cc", nullptr},
                                                    {"bcc", nullptr},
                                                    {"replyTo", nullptr}}));
  const auto change = [&](json::object body) {
    body["guid"] = at(made.data(), "guid");
    return configure(body);
  };
  expect_invalid(change({{"entityType", "Product"}, {"triggerId", trigger_guid("product_updated")}}),
                 {"action.template"});
  EXPECT_EQ(change({{"name", "renamed"}}).status, 200);
}

TEST_F(TemplatesTest, ATemplateInUseKeepsItsCodeAndEntityTypeAndCannotBeDeleted) {
  const auto footer = create(mail({{"code", "footer"}}));
  const auto guid = create(mail({{"body", "x {{> footer}}"}}));
  const auto workflow_id = text_at(tenant.configure(workflow(action("thanks"))), "guid");
  for (const auto& used : {guid, footer}) {
    expect_refused(http.del(path_of(used)), 409, "CONFLICT");
    expect_refused(http.put(path_of(used), {{"code", "renamed"}}), 409, "CONFLICT");
    expect_refused(http.put(path_of(used), {{"entityType", "Product"}}), 409, "CONFLICT");
    EXPECT_EQ(http.put(path_of(used), {{"name", "Renamed"}}).status, 200);
  }
  EXPECT_EQ(http.del("/api/workflows/configured/" + workflow_id).status, 200);
  EXPECT_EQ(http.del(path_of(guid)).status, 200);
  EXPECT_EQ(http.del(path_of(footer)).status, 200);
  expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
}

TEST_F(TemplatesTest, DeletingWaitsForAWorkflowThatStartsToUseTheTemplate) {
  const auto guid = create(mail());
  auto deleter = http.with_token(http.token());
  tenant.sql.exec("begin");
  EXPECT_EQ(
      tenant.sql.value("select count(*) from (select from templates where guid = $1 for share) t", {guid}),
      "1");
  auto deleted = std::async(std::launch::async, [&] { return deleter.del(path_of(guid)); });
  Session watcher(world.waybill.database_url());
  EXPECT_TRUE(eventually([&] {
    return watcher.number(
               "select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
               "and query like '%from templates t%for update%'") == 1;
  }));
  tenant.sql.exec(
      "insert into workflows (business_id, name, entity_type, trigger_code, action, template_codes) values "
      "('" +
      tenant.id + "', 'W', 0, 'order_updated', '" + json::serialize(action("thanks")) + "', '{thanks}')");
  tenant.sql.exec("commit");
  expect_refused(deleted.get(), 409, "CONFLICT");
  EXPECT_EQ(http.get(path_of(guid)).status, 200);
}

TEST_F(TemplatesTest, PreviewRendersARecordAndItsRelatedRecords) {
  create(mail({{"code", "footer"}, {"body", "-- {{business.name}}"}, {"html", "<i>{{business.name}}</i>"}}));
  const auto order = tenant.create_order({{"customer", {{"name", "A & B"}, {"email", "ab@example.com"}}}});
  const auto number = text_at(http.get("/api/v1/Orders/" + order).data(), "orderNumber");
  const auto guid =
      create(mail({{"subject", "{{orderNumber}}\n{{customer.name}}"},
                   {"body", "{{#items}}{{quantity}} {{description}}{{/items}} {{totalValue}}\n{{> footer}}"},
                   {"html",
                    "<p>{{customer.name}}</p>{{> footer}}{{> "
                    "no_such}}{{previous.status}}{{workflow.guid}}{{event.id}}"}}));
  EXPECT_EQ(preview(guid, order), json::object({{"subject", number + " A & B"},
                                                {"body", "2 Lamp 39.98\n-- " + tenant.name},
                                                {"html", "<p>A &amp; B</p><i>" + tenant.name + "</i>"},
                                                {"title", nullptr},
                                                {"url", nullptr}}));
  const auto hook = create(mail({{"code", "hook"}, {"type", "webhook"}, {"body", R"({"c": "{{notes}}"})"}}));
  tenant.put_order(order, {{"notes", "say \"hi\""}});
  EXPECT_EQ(text_at(preview(hook, order), "body"), R"({"c": "say \"hi\""})");
  EXPECT_EQ(text_at(preview(built_in("order_created"), order), "subject"), "We have your order " + number);

  const auto path = path_of(guid) + "/preview";
  expect_invalid(http.post(path, json::object{}), {"entityId"});
  expect_invalid(http.post(path, {{"entityId", "x"}}), {"entityId"});
  expect_refused(http.post(path, {{"entityId", unknown_guid}}), 404, "NOT_FOUND");
  expect_refused(http.post(path, {{"entityId", other_business().create_order()}}), 404, "NOT_FOUND");
  EXPECT_EQ(tenant.runs("entityId=" + order).size(), 0U) << "nothing was sent";
}

TEST_F(TemplatesTest, BuiltInMailsShowTheLocalDateAndTheDecimalsOfTheCurrency) {
  tenant.sql.exec("update businesses set timezone = 'Pacific/Auckland' where guid = '" + tenant.id + "'");
  const auto order =
      tenant.create_order({{"currency", "JPY"},
                           {"collectionDate", "2026-12-05T20:30:00Z"},
                           {"items", {{{"description", "Lamp"}, {"quantity", 2}, {"price", 995}}}}});
  const auto body = text_at(preview(built_in("order_created"), order), "body");
  EXPECT_THAT(body, HasSubstr("Total: 1990 JPY\n"));
  EXPECT_THAT(text_at(preview(built_in("order_collection_scheduled"), order), "body"),
              HasSubstr("planned for 2026-12-06"));
  const auto own = create(mail({{"body", "{{formatted.collectionDate}} {{collectionDate}} {{totalValue}}"}}));
  EXPECT_EQ(text_at(preview(own, order), "body"), "2026-12-06 2026-12-05T20:30:00.000Z 1990");
}

TEST_F(TemplatesTest, BuiltInMailsListTheLiveShipmentsOfAnOrder) {
  const auto order = tenant.insert_order();
  const auto number_of = [&](const std::string& shipment) {
    return tenant.sql.value("select tracking_number from shipments where guid = $1", {shipment});
  };
  const auto cancelled = number_of(tenant.insert_shipment(order, "cancelled"));
  const auto returned = number_of(tenant.insert_shipment(order, "returned"));
  const auto live = number_of(tenant.insert_shipment(order, "in_transit"));
  for (const auto* const code : {"order_shipped", "order_delivered"}) {
    for (const auto* const part : {"body", "html"}) {
      const auto text = text_at(preview(built_in(code), order), part);
      EXPECT_THAT(text, HasSubstr(live)) << code;
      EXPECT_THAT(text, Not(AnyOf(HasSubstr(cancelled), HasSubstr(returned)))) << code;
    }
  }
  const auto own = create(mail({{"body", "{{#shipments}}{{status}} {{/shipments}}"}}));
  EXPECT_THAT(text_at(preview(own, order), "body"), HasSubstr("cancelled")) << "users' texts see all";
}

TEST_F(TemplatesTest, PreviewRendersGivenPartsInsteadOfTheSavedOnes) {
  const auto order = tenant.create_order();
  const auto number = text_at(http.get("/api/v1/Orders/" + order).data(), "orderNumber");
  const auto guid = create(mail({{"html", "<p>saved</p>"}}));
  const auto path = path_of(guid) + "/preview";
  const auto draft =
      http.post(path, {{"entityId", order}, {"subject", "Draft {{orderNumber}}"}, {"html", nullptr}});
  EXPECT_EQ(text_at(draft.data(), "subject"), "Draft " + number);
  EXPECT_EQ(text_at(draft.data(), "body"), "For " + number);
  EXPECT_EQ(draft.data().at("html"), nullptr);
  EXPECT_EQ(text_at(preview(guid, order), "subject"), "S") << "nothing was saved";
  expect_invalid(http.post(path, {{"entityId", order}, {"subject", "{{#open}}"}, {"body", 1}}),
                 {"subject", "body"});
}

TEST_F(TemplatesTest, AChangeOfAnotherVersionThanTheCurrentOneIsRefused) {
  const auto guid = create(mail());
  EXPECT_EQ(http.put(path_of(guid), {{"subject", "A"}, {"ifVersion", 1}}).data().at("version"), 2);
  const auto late = http.put(path_of(guid), {{"subject", "B"}, {"ifVersion", 1}});
  expect_refused(late, 409, "CONFLICT");
  EXPECT_EQ(at(late.body, "error.details.version"), "2");
  EXPECT_EQ(text_at(http.get(path_of(guid)).data(), "subject"), "A");
  EXPECT_EQ(http.put(path_of(guid), {{"subject", "C"}, {"ifVersion", 2}}).status, 200);
  EXPECT_EQ(http.put(path_of(guid), {{"subject", "D"}, {"ifVersion", nullptr}}).status, 200);
  expect_invalid(http.put(path_of(guid), {{"ifVersion", 0}}), {"ifVersion"});
}

TEST_F(TemplatesTest, PreviewOfMoreThan1MiBIsRefused) {
  std::string doubling = "{{notes}}";
  const auto order = tenant.create_order({{"notes", std::string(10'000, 'x')}});
  std::string body;
  while (body.size() < 9'000) body += doubling;
  const auto guid = create(mail({{"body", body}}));
  expect_invalid(http.post(path_of(guid) + "/preview", {{"entityId", order}}), {"body"});
}

TEST_F(TemplatesTest, AListHasAtMost1000) {
  const auto built_ins = at(http.get("/api/workflows/templates").body, "data").as_array().size();
  const auto most = 1'000 - built_ins;
  tenant.sql.exec(
      "insert into templates (business_id, code, name, entity_type, type, subject, body) select '" +
      tenant.id + "', 'c' || n, 'N', 0, 'send_email', 'S', 'B' from generate_series(1, " +
      std::to_string(most - 1) + ") n");
  create(mail());
  expect_refused(http.post("/api/workflows/templates", mail({{"code", "more"}})), 409, "CONFLICT");
  EXPECT_EQ(at(http.get("/api/workflows/templates").body, "data").as_array().size(), 1'000U);
}

}  // namespace
}  // namespace waybill::tests
