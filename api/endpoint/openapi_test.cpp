#include "api/endpoint/openapi.hpp"

#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "api/endpoint/list_cursor.hpp"
#include "api/endpoint/openapi_examples.hpp"
#include "api/endpoint/paging.hpp"
#include "base/json.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view documented_sizes[] = {"small", "large"};
constexpr Property part_properties[] = {{.name = "price", .kind = Kind::money}};
constexpr Schema part{"Part", part_properties};
constexpr std::string_view circle_type[] = {"circle"};
constexpr Property circle_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .values = circle_type}};
constexpr Schema circle{"Circle", circle_properties};
constexpr std::string_view square_type[] = {"square"};
constexpr Property square_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .values = square_type}};
constexpr Schema square{"Square", square_properties};
constexpr const Schema* shapes[] = {&circle, &square};
constexpr Schema shape{.name = "Shape", .variants = shapes};
constexpr Schema grade{.name = "Grade", .values = documented_sizes};
constexpr Schema anything{.name = "Anything", .json = R"({"type": "object", "additionalProperties": true})"};
constexpr Property thing_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .read_only = true},
    {.name = "name", .kind = Kind::string, .required = true},
    {.name = "size", .kind = Kind::one_of, .values = documented_sizes},
    {.name = "parts", .kind = Kind::array, .required = true, .schema = &part},
    {.name = "main", .kind = Kind::object, .schema = &part},
    {.name = "ids", .kind = Kind::array, .items = Kind::uuid},
    {.name = "extra", .kind = Kind::any},
    {.name = "shape", .kind = Kind::any, .schema = &shape},
    {.name = "grade", .kind = Kind::string, .nullable = false, .schema = &grade},
    {.name = "rest", .kind = Kind::any, .nullable = false, .schema = &anything},
    {.name = "note", .kind = Kind::string, .nullable = false, .optional = true},
};
constexpr Schema thing{"Thing", thing_properties};

constexpr std::string_view sides[] = {"left", "right"};
constexpr Parameter repeated_parameters[] = {{.name = "side", .kind = Kind::array, .values = sides}};
constexpr std::string_view other_types[] = {"image/png", "application/zpl"};
constexpr Endpoint rows[] = {
    {.method = Method::get,
     .path = "/things",
     .permission = Permission::read,
     .handler = nullptr,
     .operation_id = "listThings",
     .summary = "List",
     .tag = "Things",
     .query = list_parameters,
     .answer = &part,
     .paginated = true},
    {.method = Method::post,
     .path = "/things",
     .permission = Permission::operate,
     .handler = nullptr,
     .operation_id = "createThing",
     .summary = "Make",
     .tag = "Things",
     .body = &thing,
     .body_kind = BodyKind::object,
     .answer = &thing,
     .status = 201},
    {.method = Method::get,
     .path = "/things/{guid}/{word:text}/toggle",
     .permission = Permission::operate,
     .handler = nullptr,
     .operation_id = "toggleThing",
     .summary = "Toggle",
     .tag = "Things",
     .changes = true},
    {.method = Method::get,
     .path = "/bare",
     .permission = Permission::everyone,
     .handler = nullptr,
     .operation_id = "getBare",
     .summary = "Bare",
     .tag = "System",
     .query = repeated_parameters,
     .bare = true},
    {.method = Method::get,
     .path = "/picture",
     .permission = Permission::everyone,
     .handler = nullptr,
     .operation_id = "getPicture",
     .summary = "Picture",
     .tag = "System",
     .media_type = "application/pdf",
     .other_media_types = other_types},
};

const json::value& document() {
  static const json::value parsed = json::parse(openapi_document(rows));
  return parsed;
}

const json::value& at(std::string_view pointer) { return document().at_pointer(pointer); }

std::string text(std::string_view pointer) { return json::serialize(at(pointer)); }

/// Collects every "$ref" in `value`.
void collect_references(const json::value& value, std::set<std::string>& references) {
  if (const auto* const object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      if (key == "$ref") references.emplace(member.as_string());
      collect_references(member, references);
    }
  } else if (const auto* const array = value.if_array()) {
    for (const auto& element : *array) collect_references(element, references);
  }
}

TEST(OpenApi, IsDeterministicIndentedText) {
  const auto once = openapi_document(rows);
  EXPECT_EQ(once, openapi_document(rows));
  EXPECT_TRUE(once.starts_with("{\n  \"openapi\": \"3.1.0\",\n"));
  EXPECT_TRUE(once.ends_with("}\n"));
}

TEST(OpenApi, DoesNotDependOnTheOrderOfTheRoutes) {
  const std::vector<Endpoint> reversed(std::rbegin(rows), std::rend(rows));
  EXPECT_EQ(openapi_document(rows), openapi_document(reversed));
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  std::set<std::string> references;
  collect_references(document(), references);
  EXPECT_GT(references.size(), 10U);
  for (const auto& reference : references) {
    boost::system::error_code error;
    EXPECT_NE(document().find_pointer(reference.substr(1), error), nullptr) << reference;
  }
}

TEST(OpenApi, DescribesRequestsAsTheyAreChecked) {
  EXPECT_EQ(text("/components/schemas/ThingInput/required"), R"(["name","parts"])");
  EXPECT_EQ(text("/components/schemas/ThingInput/additionalProperties"), "false");
  EXPECT_EQ(text("/components/schemas/ThingInput/properties/guid"),
            R"({"type":["string","null"],"format":"uuid","readOnly":true})");
  EXPECT_EQ(text("/components/schemas/ThingInput/properties/name"),
            R"({"type":"string","minLength":1,"maxLength":200})");
  EXPECT_EQ(text("/components/schemas/ThingInput/properties/size"),
            R"({"type":["string","null"],"enum":["small","large",null]})");
  EXPECT_EQ(
      text("/components/schemas/ThingInput/properties/parts"),
      R"({"type":"array","minItems":1,"maxItems":1000,"items":{"$ref":"#/components/schemas/PartInput"}})");
  EXPECT_EQ(text("/components/schemas/ThingInput/properties/main"),
            R"({"anyOf":[{"$ref":"#/components/schemas/PartInput"},{"type":"null"}]})");
  EXPECT_EQ(text("/components/schemas/ThingInput/properties/extra"), "{}");
  EXPECT_EQ(text("/components/schemas/PartInput/properties/price/type"), R"(["number","null"])");
}

TEST(OpenApi, DescribesAnswersAsTheyAreSent) {
  EXPECT_EQ(text("/components/schemas/Thing/required"),
            R"(["guid","name","size","parts","main","ids","extra","shape","grade","rest"])");
  EXPECT_FALSE(at("/components/schemas/Thing").as_object().contains("additionalProperties"));
  EXPECT_EQ(text("/components/schemas/Thing/properties/guid"),
            R"({"type":["string","null"],"format":"uuid"})");
  EXPECT_EQ(text("/components/schemas/Thing/properties/name"), R"({"type":"string"})");
  EXPECT_EQ(text("/components/schemas/Thing/properties/parts"),
            R"({"type":"array","items":{"$ref":"#/components/schemas/Part"}})");
  EXPECT_EQ(text("/components/schemas/Part/required"), R"(["price"])");
  EXPECT_EQ(text("/components/schemas/Thing/properties/note"), R"({"type":"string"})");
}

TEST(OpenApi, DescribesValuesThatHandlersCheck) {
  EXPECT_EQ(text("/components/schemas/Thing/properties/shape"),
            R"({"anyOf":[{"$ref":"#/components/schemas/Shape"},{"type":"null"}]})");
  EXPECT_EQ(text("/components/schemas/Grade"), R"({"type":"string","enum":["small","large"]})");
  EXPECT_EQ(text("/components/schemas/ThingInput/properties/grade"),
            R"({"$ref":"#/components/schemas/Grade"})");
  EXPECT_EQ(text("/components/schemas/Anything"), R"({"type":"object","additionalProperties":true})");
  EXPECT_EQ(
      text("/components/schemas/ShapeInput"),
      R"({"oneOf":[{"$ref":"#/components/schemas/CircleInput"},{"$ref":"#/components/schemas/SquareInput"}],)"
      R"("discriminator":{"propertyName":"type","mapping":{"circle":"#/components/schemas/CircleInput",)"
      R"("square":"#/components/schemas/SquareInput"}}})");
}

TEST(OpenApi, DescribesTheEnvelope) {
  EXPECT_EQ(text("/paths/~1things/get/responses/200/content/application~1json/schema/required"),
            R"(["data","page","pageSize","totalCount","totalPages","success"])");
  EXPECT_EQ(text("/paths/~1things/post/responses/201/content/application~1json/schema/required"),
            R"(["data","success"])");
  EXPECT_EQ(text("/paths/~1bare/get/responses/200/content/application~1json/schema"), "{}");
  EXPECT_EQ(text("/components/schemas/Error/required"), R"(["success","error"])");
  EXPECT_EQ(at("/components/schemas/Error/properties/error/properties/code/enum").as_array().size(), 12U);
}

TEST(OpenApi, AListWithCursorsHasItsTotalsOnlyWithPages) {
  static constexpr Parameter query[] = {
      page_parameter, after_parameter, {.name = "since", .kind = Kind::uuid}};
  std::vector<Endpoint> all(std::begin(rows), std::end(rows));
  all[0].query = query;
  const json::value whole = json::parse(openapi_document(all));
  const auto& schema = whole.at_pointer("/paths/~1things/get/responses/200/content/application~1json/schema");
  EXPECT_EQ(json::serialize(schema.at("required")), R"(["data","pageSize","success"])");
  for (const char* const name : {"page", "totalCount", "nextCursor", "hasMore", "newer"})
    EXPECT_TRUE(schema.at("properties").as_object().contains(name)) << name;
}

TEST(OpenApi, AnAnswerWithAnEntityTagCanBeA304) {
  EXPECT_EQ(text("/paths/~1things/get/responses/200/headers/ETag/$ref"), R"("#/components/headers/ETag")");
  EXPECT_EQ(text("/paths/~1things/get/responses/304/headers/ETag/$ref"), R"("#/components/headers/ETag")");
  EXPECT_FALSE(at("/paths/~1things/post/responses").as_object().contains("304"));
  EXPECT_FALSE(at("/paths/~1bare/get/responses").as_object().contains("304"));
}

TEST(OpenApi, NamesEachMediaTypeOfADocument) {
  const auto& content = at("/paths/~1picture/get/responses/200/content").as_object();
  EXPECT_EQ(content.size(), 3U);
  for (const char* const type : {"application/pdf", "image/png", "application/zpl"})
    EXPECT_EQ(json::serialize(content.at(type)), R"({"schema":{"type":"string","format":"binary"}})");
}

TEST(OpenApi, DescribesParametersAndPermissions) {
  EXPECT_EQ(at("/paths/~1things/get/parameters").as_array().size(), std::size(list_parameters) + 3)
      << "with $select, X-Commit-Position and If-None-Match";
  EXPECT_EQ(text("/paths/~1things/get/parameters/" + std::to_string(std::size(list_parameters)) + "/$ref"),
            R"("#/components/parameters/Select")");
  EXPECT_EQ(text("/components/parameters/Select/name"), R"("$select")");
  EXPECT_EQ(text("/paths/~1things~1{guid}~1{word}~1toggle/get/parameters/0/schema"),
            R"({"type":"string","format":"uuid"})");
  EXPECT_EQ(text("/paths/~1things~1{guid}~1{word}~1toggle/get/parameters/1/schema"), R"({"type":"string"})");
  EXPECT_EQ(text("/paths/~1bare/get/parameters/0/schema"),
            R"({"type":"array","items":{"type":"string","enum":["left","right"]}})");
  EXPECT_EQ(text("/paths/~1bare/get/security"), "[]");
  EXPECT_EQ(text("/security"), R"([{"token":[]},{"cookie":[]}])");
  EXPECT_EQ(text("/paths/~1things/post/x-permission"), R"("operator")");
}

TEST(OpenApi, GetsThatChangeSomethingAreAlsoPosts) {
  EXPECT_EQ(text("/paths/~1things~1{guid}~1{word}~1toggle/post/operationId"), R"("toggleThingByPost")");
}

TEST(OpenApi, TwoSchemasOfOneNameAreAnError) {
  static constexpr Schema impostor{"Thing", part_properties};
  std::vector<Endpoint> all(std::begin(rows), std::end(rows));
  all[0].answer = &impostor;
  EXPECT_THROW(openapi_document(all), std::logic_error);
}

TEST(OpenApi, TwoOperationsOfOneNameAreAnError) {
  std::vector<Endpoint> all(std::begin(rows), std::end(rows));
  all[0].operation_id = all[1].operation_id;
  EXPECT_THROW(openapi_document(all), std::logic_error);
}

TEST(OpenApi, EveryExampleOfARequestPassesTheChecksOfItsRoute) {
  for (const Endpoint& endpoint : all_endpoints()) {
    if (endpoint.body == nullptr) continue;
    json::object body = example_request(*endpoint.body);
    FieldErrors errors;
    validate(*endpoint.body, body, errors);
    if (endpoint.body_check != nullptr) endpoint.body_check(body, errors);
    for (const FieldError& error : errors) {
      ADD_FAILURE() << endpoint.path << ": " << error.field << ' ' << error.message;
    }
  }
}

TEST(OpenApi, EveryOperationHasADescription) {
  for (const Endpoint& endpoint : all_endpoints())
    EXPECT_TRUE(endpoint.tag.empty() || !endpoint.description.empty()) << endpoint.operation_id;
}

bool has_placeholder(const json::value& value) {
  if (const auto* const object = value.if_object())
    return std::ranges::any_of(*object, [](const auto& member) { return has_placeholder(member.value()); });
  if (const auto* const list = value.if_array()) return std::ranges::any_of(*list, has_placeholder);
  return value == json::value("text");
}

TEST(OpenApi, NoExampleIsAPlaceholder) {
  for (const Endpoint& endpoint : all_endpoints()) {
    if (endpoint.body != nullptr)
      EXPECT_FALSE(has_placeholder(example_request(*endpoint.body)))
          << to_json(example_request(*endpoint.body));
    if (endpoint.answer != nullptr)
      EXPECT_FALSE(has_placeholder(example_answer(*endpoint.answer)))
          << to_json(example_answer(*endpoint.answer));
  }
}

TEST(OpenApi, ABodyIsRequiredUnlessAnEmptyOneIsAccepted) {
  const json::value whole = json::parse(openapi_document());
  const auto is_required = [&](std::string_view path, std::string_view method) {
    return whole.at("paths").at(path).at(method).at("requestBody").at("required").as_bool();
  };
  EXPECT_TRUE(is_required("/api/workflows/configure", "post"));
  EXPECT_TRUE(is_required("/api/workflows/backtest", "post"));
  EXPECT_TRUE(is_required("/api/v1/Orders/{orderId}", "put"));
  EXPECT_FALSE(is_required("/api/workflows/configured/{guid}/send-test", "post"));
  EXPECT_FALSE(is_required("/api/v1/Orders/{orderId}/shipment", "post"));
}

TEST(OpenApi, EveryTagIsDescribed) {
  const json::value whole = json::parse(openapi_document());
  std::set<std::string_view> described;
  for (const auto& tag : whole.at("tags").as_array()) described.insert(tag.at("name").as_string());
  for (const Endpoint& endpoint : all_endpoints()) {
    EXPECT_TRUE(endpoint.tag.empty() || described.contains(endpoint.tag)) << endpoint.tag;
  }
}

}  // namespace
}  // namespace waybill::api
