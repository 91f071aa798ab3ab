// The limits of the values that SQL writes. They are those of the requests, for each column of a record.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/endpoint/endpoint.hpp"
#include "base/blanks.hpp"
#include "base/json.hpp"
#include "domain/records/element_fields.hpp"
#include "domain/records/record_type.hpp"
#include "domain/values/own_data.hpp"
#include "storage/sql/catalog.sql.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/sql_errors.hpp"

namespace waybill::tests {
namespace {

using domain::EntityType;
using domain::Field;
using domain::FieldType;
using domain::RecordType;
using testing::HasSubstr;

constexpr std::string_view business = "00000000-0000-4000-8000-000000000001";
const std::string other_writer = R"(set waybill.cause = '{"by": {"type": "api"}}')";

/// Columns with a set of allowed values, which constraints check.
const std::set<std::string_view> closed_fields{"status",      "currency", "labelStatus",
                                               "source.type", "hsCode",   "originCountry"};
/// Texts that no request has: stores name them.
const std::map<std::string_view, std::size_t> imported{{"source.externalId", 1000}, {"source.url", 2000}};

/// The property of a request that creates a record, by the path of its field.
const api::Property& property_of(const RecordType& type, std::string_view path) {
  static const std::vector<api::Endpoint> endpoints = api::all_endpoints();
  static const std::map<EntityType, std::string_view> paths{{EntityType::order, "/api/v1/Orders"},
                                                            {EntityType::shipment, "/api/v1/shipments"},
                                                            {EntityType::customer, "/api/v1/Customers"},
                                                            {EntityType::product, "/api/v1/Products"}};
  const auto endpoint = std::ranges::find_if(endpoints, [&](const api::Endpoint& each) {
    return each.path == paths.at(type.type) && each.body != nullptr && each.method == api::Method::post;
  });
  if (endpoint == endpoints.end())
    throw std::runtime_error("no endpoint creates a " + std::string(type.label));
  const api::Schema* schema = endpoint->body;
  for (;;) {
    const auto dot = path.find('.');
    const api::Property* const property = schema->find(path.substr(0, dot));
    if (property == nullptr) throw std::runtime_error("no request has " + std::string(path));
    if (dot == std::string_view::npos) return *property;
    schema = property->schema;
    path.remove_prefix(dot + 1);
  }
}

std::size_t limit_of(const RecordType& type, const Field& field) {
  if (const auto found = imported.find(field.path); found != imported.end()) return found->second;
  const api::Property& property = property_of(type, field.path);
  return api::length_limit(property.kind, property.max_length);
}

std::string text(std::size_t characters) { return "repeat('ü', " + std::to_string(characters) + ")"; }

class WrittenValues : public testing::Test {
 protected:
  WrittenValues() {
    database.exec("insert into businesses (guid, name) values ('" + std::string(business) + "', 'one')");
    for (const RecordType& type : domain::record_types()) database.exec(insert(type, {}));
  }

  static std::string insert(const RecordType& type, const std::map<std::string, std::string>& values) {
    static const std::map<EntityType, std::string> required{{EntityType::order, "order_number"},
                                                            {EntityType::shipment, "tracking_number"},
                                                            {EntityType::customer, "name"},
                                                            {EntityType::product, "name"}};
    std::map<std::string, std::string> all{{"business_id", "'" + std::string(business) + "'"},
                                           {required.at(type.type), "gen_random_uuid()"}};
    for (const auto& [column, value] : values) all.insert_or_assign(column, value);
    std::string columns, expressions;
    for (const auto& [column, value] : all) {
      columns += (columns.empty() ? "" : ", ") + column;
      expressions += (expressions.empty() ? "" : ", ") + value;
    }
    return "insert into " + std::string(type.table) + " (" + columns + ") values (" + expressions + ")";
  }

  /// Expects that the value is refused, by an insert and by an update of the only row.
  void expect_refused(const RecordType& type, const std::string& column, const std::string& value,
                      const std::string& reason) {
    const std::string place = std::string(type.table) + "." + column;
    EXPECT_THAT(error_of(writer, insert(type, {{column, value}})), HasSubstr(reason)) << place;
    EXPECT_THAT(error_of(writer, "update " + std::string(type.table) + " set " + column + " = " + value),
                HasSubstr(reason))
        << place;
  }

  void expect_accepted(const RecordType& type, const std::string& column, const std::string& value) {
    EXPECT_EQ(error_of(writer, "update " + std::string(type.table) + " set " + column + " = " + value), "")
        << type.table << "." << column;
  }

  TestDatabase database;
  Session writer{database.url()};
};

TEST_F(WrittenValues, ATextHasTheLimitOfRequests) {
  std::size_t checked = 0;
  for (const RecordType& type : domain::record_types()) {
    for (const Field& field : type.fields) {
      if (field.column() == nullptr || field.type != FieldType::string || closed_fields.contains(field.path))
        continue;
      const std::size_t limit = limit_of(type, field);
      const std::string column(field.column_name());
      expect_refused(type, column, text(limit + 1),
                     column + " must have at most " + std::to_string(limit) + " characters");
      if (column == "external_id")
        writer.exec("update orders set integration_id = gen_random_uuid(), external_id = '1'");
      expect_accepted(type, column, text(limit));
      ++checked;
    }
  }
  EXPECT_GT(checked, 50U);
}

TEST_F(WrittenValues, AListHasTheLimitsOfRequests) {
  std::size_t checked = 0;
  for (const RecordType& type : domain::record_types()) {
    for (const Field& field : type.fields) {
      if (field.column() == nullptr || field.type != FieldType::array || field.path == domain::tags_path)
        continue;
      const std::string column(field.column_name());
      const auto list = [](const std::string& name, std::size_t characters) {
        return "jsonb_build_array('{}'::jsonb, jsonb_build_object('" + name + "', " + text(characters) +
               "))::text::json";
      };
      const auto entries = [](int count) {
        return "(select jsonb_agg('{}'::jsonb) from generate_series(1, " + std::to_string(count) +
               "))::text::json";
      };
      const int most = column == "items" || column == "packages" ? 5000 : 1000;
      expect_refused(type, column, entries(most + 1),
                     column + " must have at most " + std::to_string(most) + " entries");
      expect_accepted(type, column, entries(most));
      std::vector<std::string> names{"unknown"};
      for (const auto& element : domain::element_fields(type.type, field.path))
        if (element.type == FieldType::string) names.emplace_back(element.path);
      for (const std::string& name : names) {
        const std::size_t limit = name == "description" ? 10'000 : name == "email" ? 254 : 200;
        expect_refused(type, column, list(name, limit + 1),
                       column + "[1]." + name + " must have at most " + std::to_string(limit));
        expect_accepted(type, column, list(name, limit));
      }
      expect_refused(type, column, "jsonb_build_array(" + text(201) + ")::text::json", column + "[0]");
      ++checked;
    }
  }
  EXPECT_EQ(checked, 5U);
}

TEST_F(WrittenValues, TagsAndMetadataHaveTheLimitsOfRequests) {
  const auto tags = [](std::size_t count, std::size_t characters) {
    return "(select jsonb_agg(" + text(characters - 2) +
           " || lpad(n::text, 2, '0')) from generate_series(1, " + std::to_string(count) + ") n)";
  };
  const auto metadata = [](std::size_t keys, std::size_t key, std::size_t value) {
    return "(select jsonb_object_agg(rpad(n::text, " + std::to_string(key) + ", 'k'), " + text(value) +
           ") from generate_series(10, " + std::to_string(keys + 9) + ") n)";
  };
  for (const RecordType& type : domain::record_types()) {
    expect_accepted(type, "tags", tags(domain::most_tags, domain::longest_tag));
    expect_refused(type, "tags", tags(domain::most_tags + 1, 2), "tags must have at most 50 entries");
    expect_refused(type, "tags", tags(1, domain::longest_tag + 1), "tags[0] must have at most 50 characters");
    expect_accepted(
        type, "metadata",
        metadata(domain::most_metadata_keys, domain::longest_metadata_key, domain::longest_metadata_text));
    expect_refused(type, "metadata", metadata(domain::most_metadata_keys + 1, 2, 1), "at most 50 keys");
    expect_refused(type, "metadata", metadata(1, domain::longest_metadata_key + 1, 1),
                   "at most 40 characters");
    expect_refused(type, "metadata", metadata(1, 2, domain::longest_metadata_text + 1),
                   "metadata.10 must have at most 500 characters");
  }
}

TEST_F(WrittenValues, ATimeIsOneThatAnswersCanShow) {
  for (const RecordType& type : domain::record_types()) {
    for (const Field& field : type.fields) {
      // A trigger sets updated_at.
      if (field.column() == nullptr || field.type != FieldType::timestamp || field.path == "updatedAt")
        continue;
      for (const char* const value :
           {"'infinity'", "'-infinity'", "'10000-01-01 00:00:00+00'", "'0001-12-31 00:00:00+00 BC'"})
        EXPECT_NE(error_of(writer, "update " + std::string(type.table) + " set " +
                                       std::string(field.column_name()) + " = " + value),
                  "")
            << type.table << "." << field.column_name() << " = " << value;
      expect_accepted(type, std::string(field.column_name()), "'2020-02-29 12:00:00+00'");
    }
  }
}

TEST_F(WrittenValues, ARowThatIsTooLongStaysWritableInItsOtherColumns) {
  Session older(database.url());
  older.exec(other_writer);
  const std::string tags = "to_jsonb(array[" + text(60) + "])";
  older.exec("update orders set notes = " + text(10'001) + ", delivery_city = " + text(201) +
             ", tags = " + tags + ", status_changed_at = 'infinity'");
  writer.exec("update orders set status = 'ready'");
  writer.exec(
      "update orders set service_level = 'express', notes = notes, tags = tags, items = items, "
      "delivery_city = delivery_city, status_changed_at = status_changed_at");
  EXPECT_EQ(database.value("select char_length(notes) from orders"), "10001");
  EXPECT_THAT(error_of(writer, "update orders set notes = notes || 'x'"), HasSubstr("notes must have"));
  EXPECT_THAT(error_of(writer, "update orders set delivery_street = delivery_city"),
              HasSubstr("delivery_street must have"));
  writer.exec("update orders set notes = null, tags = null");
}

TEST_F(WrittenValues, OnlyASessionOfWaybillItselfIsExempt) {
  const std::string role = "writer_" + database.name();
  postgres().admin().exec("drop role if exists " + role + "; create role " + role + " login");
  database.exec("grant select, insert, update on orders to " + role);
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + role + "@");
  {
    Session stranger(url);
    stranger.exec(other_writer);
    EXPECT_THAT(error_of(stranger, "update orders set notes = " + text(10'001)),
                HasSubstr("notes must have"));
    stranger.exec("update orders set notes = " + text(10'000));
  }
  database.exec("drop owned by " + role);
  postgres().admin().exec("drop role " + role);
}

TEST_F(WrittenValues, TextsThatAreShownWithARecordAreLimited) {
  writer.exec("insert into carriers (business_id, name, code, type) values ('" + std::string(business) +
              "', 'own', 'own', 'courier')");
  for (const auto& [table, column, limit] :
       std::initializer_list<std::tuple<std::string, std::string, std::size_t>>{
           {"shipment_traces", "description", 10'000},
           {"shipment_traces", "location", 200},
           {"shipment_traces", "external_id", 200},
           {"carriers", "name", 200},
           {"carriers", "tracking_url_pattern", 2'000}}) {
    EXPECT_THAT(error_of(writer, "update " + table + " set " + column + " = " + text(limit + 1)),
                HasSubstr(column + " must have at most " + std::to_string(limit)))
        << table;
  }
}

// The API finds the forms that it stores, so SQL stores the same.
TEST_F(WrittenValues, ANumberCodeAndTagHaveTheFormOfRequests) {
  const std::vector<std::string> texts{
      "1Z 999 AA",    " A 1 ", "A\t\t1\n", "\u00a0A\u200b1\ufeff",        "a\u2003\u3000b",
      "\u00ad\u2066", "plain", "\r",       "f\u00fcr\u202f\u2060\u1680x", "Ünï cödé"};
  for (const std::string& text : texts) {
    const std::string number = without_blanks(text), code = single_spaced(text);
    const std::string row = "'" + std::string(business) + "'";
    writer.exec("begin");
    const auto value = [&](const std::string& statement) { return writer.value(statement, {text}); };
    EXPECT_EQ(value("update shipments set carrier_tracking_number = $1 returning "
                    "coalesce(carrier_tracking_number, '')"),
              number);
    if (!number.empty()) {
      EXPECT_EQ(value("update shipments set tracking_number = $1 returning tracking_number"), number);
      EXPECT_EQ(value("insert into shipments (business_id, tracking_number) values (" + row +
                      ", 'x' || $1) returning tracking_number"),
                "x" + number);
      EXPECT_EQ(value("update orders set order_number = $1 returning order_number"), code);
    }
    EXPECT_EQ(value("update products set sku = $1 returning coalesce(sku, '')"), code);
    for (const RecordType& type : domain::record_types()) {
      const std::string update = "update " + std::string(type.table) + " set ";
      EXPECT_EQ(value(update + "external_reference = $1 returning coalesce(external_reference, '')"), code);
      EXPECT_EQ(value(update + "tags = jsonb_build_array($1::text) returning tags ->> 0"),
                without_outer_blanks(text));
    }
    writer.exec("rollback");
  }
}

TEST_F(WrittenValues, AnEmptyTextOrListThatStandsForNoneIsNull) {
  for (const std::string none : {"''", "' '"}) {
    writer.exec("insert into customers (business_id, name, email) select business_id, n, " + none +
                " from customers, (values ('a'), ('b')) v (n) limit 2");
    writer.exec("insert into products (business_id, name, sku) select business_id, n, " + none +
                " from products, (values ('a'), ('b')) v (n) limit 2");
    writer.exec("update orders set delivery_email = " + none +
                "; update shipments set recipient_email = " + none + ", carrier_tracking_number = " + none);
  }
  for (const RecordType& type : domain::record_types()) {
    writer.exec("update " + std::string(type.table) + " set tags = '[]', external_reference = ''");
    EXPECT_EQ(database.number("select count(*) from " + std::string(type.table) +
                              " where tags is not null or external_reference is not null"),
              0);
  }
  EXPECT_EQ(
      database.number("select (select count(email) from customers) + (select count(sku) from products) + "
                      "(select count(delivery_email) from orders) + "
                      "(select count(recipient_email) + count(carrier_tracking_number) from shipments)"),
      0);
}

TEST_F(WrittenValues, AContactAReferenceAndAVariantHaveGuidsThatRepetitionsKeep) {
  struct Case {
    std::string table, column, written, changed;
  };
  for (const auto& [table, column, written, changed] :
       {Case{"customers", "contacts", R"([{"name": "Bob"}, {"guid": null, "name": "Eve"}])",
             R"([{"name": "Eve"}, {"name": "Eve"}, {"name": "Bob"}])"},
        Case{"customers", "reference_list", R"([{"type": "t", "value": "v"}, {"type": "u", "value": "w"}])",
             R"([{"type": "u", "value": "w"}, {"type": "v", "value": "x"}, {"type": "t", "value": "v"}])"},
        Case{"products", "variants", R"([{"name": "A", "sku": "a"}, {"name": "B", "sku": "b"}])",
             R"([{"name": "B", "sku": "b"}, {"name": "C", "sku": "c"}, {"name": "A", "sku": "a"}])"}}) {
    const auto guids = [&, &table = table, &column = column](const std::string& list) {
      writer.rows("update " + table + " set " + column + " = $1", {list});
      return writer.column("select e ->> 'guid' from " + table + ", jsonb_array_elements(" + column +
                           ") with ordinality l (e, n) order by n");
    };
    const auto first = guids(written);
    ASSERT_EQ(first.size(), 2U) << column;
    EXPECT_NE(first[0], first[1]);
    EXPECT_EQ(guids(written), first) << column << ", written again";
    const auto second = guids(changed);
    ASSERT_EQ(second.size(), 3U) << column;
    EXPECT_EQ(second[0], first[1]) << column << ", moved";
    EXPECT_EQ(second[2], first[0]) << column << ", moved";
    EXPECT_EQ(std::set(second.begin(), second.end()).size(), 3U) << column;
  }
  const auto in_place = [&](const std::string& table, const std::string& column, const std::string& list) {
    return writer.value(
        "update " + table + " set " + column + " = $1 returning " + column + " #>> '{0,guid}'", {list});
  };
  EXPECT_EQ(in_place("customers", "contacts", R"([{"name": "Al"}])"),
            in_place("customers", "contacts", R"([{"name": "Al", "phone": "1"}])"))
      << "the same name in the same place";
  EXPECT_EQ(in_place("products", "variants", R"([{"name": "A", "sku": "z"}])"),
            in_place("products", "variants", R"([{"name": "Z", "sku": "z"}])"))
      << "the same SKU in the same place";
  const auto inserted = writer.value(
      "insert into customers (business_id, name, contacts) select business_id, 'x', '[{\"name\": \"Bob\"}]' "
      "from customers limit 1 returning contacts #>> '{0,guid}'");
  EXPECT_EQ(inserted.size(), 36U);
}

// Answers, events and exports copy the stored text, so an element has all fields that it has in the API.
TEST_F(WrittenValues, AnElementHasAllItsFieldsOnceSqlHasWrittenItsList) {
  std::size_t checked = 0;
  for (const RecordType& type : domain::record_types()) {
    for (const Field& field : type.fields) {
      if (field.column() == nullptr || field.type != FieldType::array || field.path == domain::tags_path)
        continue;
      const std::string column(field.column_name()), table(type.table);
      const std::string written =
          R"([{"unknown": 1.50}, {"dimensions": {"length": 3.10}, "carrierTrackingNumber": "1"}])";
      // Only the fields that an element may be without stay away.
      static const std::set<std::string_view> optional{"hsCode", "originCountry", "customsValue",
                                                       "carrierTrackingNumber"};
      const auto update = [&](const std::string& list) {
        return writer.value("update " + table + " set " + column + " = $1 returning " + column, {list});
      };
      const json::array stored = json::parse(update(written)).as_array();
      for (const auto& element : domain::element_fields(type.type, field.path)) {
        const auto dot = element.path.find('.');
        const std::string_view name = element.path.substr(0, dot);
        if (optional.contains(name)) continue;
        for (const json::value& entry : stored)
          EXPECT_TRUE(entry.as_object().contains(name)) << column << "." << name;
        if (dot == std::string_view::npos) continue;
        EXPECT_TRUE(stored[0].at(name).is_null()) << column << "." << name;
        EXPECT_TRUE(stored[1].at(name).as_object().contains(element.path.substr(dot + 1)))
            << column << "." << element.path;
      }
      EXPECT_EQ(writer.value("select " + column + " #>> '{0,unknown}' from " + table), "1.50") << column;
      EXPECT_EQ(writer.value("select " + column + " #>> '{1,dimensions,length}' from " + table), "3.10")
          << column;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 5U);
}

TEST_F(WrittenValues, CustomsDataHaveAllTheirFields) {
  const auto written = [&](const std::string& customs) {
    return writer.value("update shipments set customs = $1 returning customs", {customs});
  };
  EXPECT_EQ(json::parse(written(R"({"incoterm": "DAP", "items": [{"description": "q", "value": 2.50}]})")),
            json::parse(R"({"contents": null, "incoterm": "DAP", "items": [{"description": "q",
                "quantity": null, "value": 2.50, "currency": null, "weight": null, "hsCode": null,
                "originCountry": null}]})"));
  EXPECT_EQ(json::parse(written(R"({"contents": "gift", "items": null})")),
            json::parse(R"({"contents": "gift", "incoterm": null, "items": []})"));
  EXPECT_THAT(error_of(writer, "update shipments set customs = '[1]'"), HasSubstr("customs"));
  EXPECT_EQ(written(R"({"items": 5})"), R"({"items": 5, "contents": null, "incoterm": null})")
      << "as before, a value of another type is not corrected";
}

// Each correction would be an event.
TEST_F(WrittenValues, AnElementOfARowThatIsOlderStaysShortUntilItsListChanges) {
  Session older(database.url());
  older.exec(other_writer);
  older.exec(R"(update orders set items = '[{"guid": "6f8e6f3e-0000-4000-8000-000000000001"}]';
                update shipments set packages = '[{"weight": 2}]', customs = '{"items": []}')");
  writer.exec(
      "update orders set items = items, notes = 'a'; "
      "update shipments set packages = packages, customs = customs, instructions = 'a'");
  EXPECT_EQ(database.value("select items from orders"),
            R"([{"guid": "6f8e6f3e-0000-4000-8000-000000000001"}])");
  EXPECT_EQ(database.value("select packages || customs from shipments"), R"([{"weight": 2}, {"items": []}])");
  writer.exec(R"(update shipments set packages = packages || '[{"weight": 3}]')");
  EXPECT_EQ(database.number("select count(*) from shipments, jsonb_array_elements(packages) p "
                            "where p ?& array['length', 'width', 'height', 'weight']"),
            2);
}

// A change of another column must not fail because of a number that another shipment has without blanks.
TEST_F(WrittenValues, AValueThatARowHasAlreadyKeepsItsForm) {
  Session older(database.url());
  older.exec(other_writer);
  older.exec(
      "update shipments set tracking_number = 'A 1'; insert into shipments (business_id, tracking_number) "
      "select business_id, 'A1' from shipments");
  writer.exec("update shipments set tracking_number = tracking_number, instructions = 'ring'");
  EXPECT_EQ(database.value("select string_agg(tracking_number, ',' order by tracking_number) from shipments"),
            "A 1,A1");
}

}  // namespace
}  // namespace waybill::tests
