#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class PresetsTest : public ApiTest {
 protected:
  static constexpr std::string_view root = "/api/v1/dimension-presets";

  static std::string path_of(std::string_view guid) { return std::string(root) + "/" + std::string(guid); }

  json::value create(const json::object& fields = {}) {
    json::object body{{"name", "Box"}, {"length", 30}, {"width", 20.5}, {"height", 10}};
    for (const auto& [key, value] : fields) body[key] = value;
    const auto response = http.post(root, body);
    EXPECT_EQ(response.status, 201) << response.text;
    return response.data();
  }

  Response apply(std::string_view order, std::string_view preset, std::string_view item) {
    return http.post("/api/v1/Orders/" + std::string(order) + "/add-dimension-preset",
                     {{"presetId", preset}, {"itemId", item}});
  }
};

TEST_F(PresetsTest, CreatingReturnsThePresetAndItsLocation) {
  const auto response = http.post(root, {{"name", "Box"},
                                         {"length", 30},
                                         {"width", 20.5},
                                         {"height", 10},
                                         {"weight", 0.25},
                                         {"unit", "in"},
                                         {"weightUnit", "lb"}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid},
                                          {"name", "Box"},
                                          {"length", 30},
                                          {"width", 20.5},
                                          {"height", 10},
                                          {"weight", 0.25},
                                          {"unit", "in"},
                                          {"weightUnit", "lb"}}));
  EXPECT_EQ(http.get(root).data(), json::value(json::array{response.data()})) << "a plain array of presets";
  EXPECT_EQ(http.get(response.header("Location")).data(), response.data());
}

TEST_F(PresetsTest, TheDefaultUnitsAreThoseOfTheBusiness) {
  const auto first = create();
  EXPECT_EQ(text_at(first, "unit"), "cm");
  EXPECT_EQ(text_at(first, "weightUnit"), "kg");
  EXPECT_TRUE(at(first, "weight").is_null());
  EXPECT_EQ(
      http.patch("/api/v1/Products/settings", {{"defaultUnit", "m"}, {"defaultWeightUnit", "oz"}}).status,
      200);
  const auto second = create();
  EXPECT_EQ(text_at(second, "unit"), "m");
  EXPECT_EQ(text_at(second, "weightUnit"), "oz");
}

TEST_F(PresetsTest, PresetsAreListedByName) {
  create({{"name", "C"}});
  create({{"name", "A"}});
  create({{"name", "B"}});
  EXPECT_EQ(texts(http.get(root), "name"), (std::vector<std::string>{"A", "B", "C"}));
}

TEST_F(PresetsTest, BadFieldsAreReportedTogether) {
  expect_invalid(http.post(root, json::object{}), {"name", "length", "width", "height"});
  expect_invalid(http.post(root, {{"name", ""},
                                  {"length", -1},
                                  {"width", 1e9 + 1},
                                  {"height", "1"},
                                  {"weight", -0.5},
                                  {"unit", "ft"},
                                  {"weightUnit", 1},
                                  {"depth", 1}}),
                 {"name", "length", "width", "height", "weight", "unit", "weightUnit", "depth"});
}

TEST_F(PresetsTest, PutMerges) {
  const auto guid = text_at(create({{"weight", 2}}), "guid");
  const auto changed = http.put(path_of(guid), {{"name", "Crate"}, {"weight", nullptr}, {"unit", "m"}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(text_at(changed.data(), "name"), "Crate");
  EXPECT_EQ(at(changed.data(), "length"), 30);
  EXPECT_TRUE(at(changed.data(), "weight").is_null());
  EXPECT_EQ(http.put(path_of(guid), changed.data()).data(), changed.data())
      << "a GET response can be sent back";
  expect_invalid(http.put(path_of(guid), {{"name", " "}, {"length", nullptr}, {"unit", nullptr}}),
                 {"name", "length", "unit"});
}

TEST_F(PresetsTest, DeletedPresetsAreGone) {
  const auto guid = text_at(create(), "guid");
  const auto response = http.del(path_of(guid));
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.body.as_object().contains("data"));
  expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(http.put(path_of(guid), {{"name", "x"}}), 404, "NOT_FOUND");
  EXPECT_TRUE(http.get(root).data().as_array().empty());
}

TEST_F(PresetsTest, ABusinessHasAtMost1000) {
  tenant.sql.rows(
      "insert into dimension_presets (business_id, name, length, width, height, unit, weight_unit)"
      " select $1, n::text, 1, 1, 1, 'cm', 'kg' from generate_series(1, 999) n",
      {tenant.id});
  create();
  expect_refused(http.post(root, {{"name", "x"}, {"length", 1}, {"width", 1}, {"height", 1}}), 409,
                 "CONFLICT");
}

TEST_F(PresetsTest, AnOrderItemTakesTheDimensionsOfThePreset) {
  const auto order = tenant.create_order({{"items",
                                           {{{"description", "Lamp"},
                                             {"quantity", 2},
                                             {"price", 10},
                                             {"dimensions", {{"length", 1}, {"weight", 7}}}},
                                            {{"description", "Bulb"}, {"quantity", 1}, {"price", 1}}}}});
  const auto path = "/api/v1/Orders/" + order;
  const auto lamp = text_at(http.get(path).data(), "items.0.guid");
  const auto bulb = text_at(http.get(path).data(), "items.1.guid");
  const auto light = text_at(create(), "guid");
  const auto heavy = text_at(create({{"length", 5}, {"weight", 0.5}}), "guid");
  const auto events = events_of(order);

  const auto response = apply(order, heavy, bulb);
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", order}}));
  EXPECT_EQ(at(http.get(path).data(), "items.1.dimensions"),
            json::value({{"length", 5}, {"width", 20.5}, {"height", 10}, {"weight", 0.5}}));
  EXPECT_EQ(at(http.get(path).data(), "items.0.dimensions.length"), 1) << "the other item stays";
  EXPECT_EQ(apply(order, light, lamp).status, 200);
  EXPECT_EQ(at(http.get(path).data(), "items.0.dimensions"),
            json::value({{"length", 30}, {"width", 20.5}, {"height", 10}, {"weight", 7}}))
      << "a preset without a weight keeps the item's weight";
  EXPECT_EQ(events_of(order), events + 2);
  EXPECT_EQ(apply(order, light, lamp).status, 200);
  EXPECT_EQ(events_of(order), events + 2) << "nothing changed";
  EXPECT_EQ(at(http.get(path).data(), "totalValue"), 21);
}

TEST_F(PresetsTest, ApplyingReportsUnknownItemsAndPresets) {
  const auto order = tenant.create_order();
  const auto item = text_at(http.get("/api/v1/Orders/" + order).data(), "items.0.guid");
  const auto preset = text_at(create(), "guid");
  expect_refused(apply(unknown_guid, preset, item), 404, "NOT_FOUND");
  expect_refused(apply(order, unknown_guid, item), 404, "NOT_FOUND");
  expect_refused(apply(order, preset, unknown_guid), 404, "NOT_FOUND");
  expect_invalid(apply(order, "x", "y"), {"presetId", "itemId"});
  expect_invalid(http.post("/api/v1/Orders/" + order + "/add-dimension-preset", json::object{}),
                 {"presetId", "itemId"});
  tenant.move_order(order, "shipped");
  expect_refused(apply(order, preset, item), 409, "CONFLICT");
}

TEST_F(PresetsTest, APresetOfAnotherBusinessIs404) {
  const auto preset = text_at(create(), "guid");
  const auto order = tenant.create_order();
  const auto item = text_at(http.get("/api/v1/Orders/" + order).data(), "items.0.guid");
  auto& other = other_business();
  expect_refused(other.http.put(path_of(preset), {{"name", "x"}}), 404, "NOT_FOUND");
  expect_refused(other.http.del(path_of(preset)), 404, "NOT_FOUND");
  EXPECT_TRUE(other.http.get(root).data().as_array().empty());
  const auto foreign_order = other.create_order();
  const auto foreign_item = text_at(other.http.get("/api/v1/Orders/" + foreign_order).data(), "items.0.guid");
  expect_refused(apply(foreign_order, preset, foreign_item), 404, "NOT_FOUND");
  expect_refused(other.http.post("/api/v1/Orders/" + foreign_order + "/add-dimension-preset",
                                 {{"presetId", preset}, {"itemId", foreign_item}}),
                 404, "NOT_FOUND");
  EXPECT_EQ(apply(order, preset, item).status, 200);
}

TEST_F(PresetsTest, AnOrderItemTakesTheDimensionsInTheUnitsOfTheProduct) {
  const auto order = tenant.create_order();
  const auto path = "/api/v1/Orders/" + order;
  const auto item = text_at(http.get(path).data(), "items.0.guid");
  const auto inches = text_at(create({{"length", 5},
                                      {"width", 2.25},
                                      {"height", 3},
                                      {"weight", 2},
                                      {"unit", "in"},
                                      {"weightUnit", "lb"}}),
                              "guid");
  ASSERT_EQ(apply(order, inches, item).status, 200);
  EXPECT_EQ(at(http.get(path).data(), "items.0.dimensions"),
            json::value({{"length", 12.7}, {"width", 5.715}, {"height", 7.62}, {"weight", 0.9072}}));
}

TEST_F(PresetsTest, ANullUnitIsTheDefaultOfTheBusiness) {
  const auto made = create({{"unit", nullptr}, {"weightUnit", nullptr}});
  EXPECT_EQ(text_at(made, "unit"), "cm");
  EXPECT_EQ(text_at(made, "weightUnit"), "kg");
}

}  // namespace
}  // namespace waybill::tests
