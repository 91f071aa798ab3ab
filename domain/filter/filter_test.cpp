#include "domain/filter/filter.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "domain/filter/filter_errors.hpp"

namespace waybill::domain {
namespace {

using Params = std::vector<std::string>;

const RecordType& orders = record_type(EntityType::order);

struct Case {
  std::string text;
  std::string sql;
  Params params = {};
};

void expect_sql(const std::vector<Case>& cases, const RecordType& type = orders) {
  for (const auto& [text, sql, params] : cases) {
    const auto result = compile_filter(text, type, 3);
    const auto* fragment = std::get_if<SqlFragment>(&result);
    if (fragment == nullptr) {
      ADD_FAILURE() << text << ": " << std::get<FilterError>(result).message;
      continue;
    }
    EXPECT_EQ(fragment->text, sql) << text;
    EXPECT_EQ(fragment->params, params) << text;
  }
}

TEST(Filter, EachFieldTypeCastsItsParameter) {
  expect_sql({
      {"status eq 'ready'", "r.status = $3", {"ready"}},
      {"totalValue gt 100.50", "r.total_value > $3::numeric", {"100.50"}},
      {"totalValue ge -1e3", "r.total_value >= $3::numeric", {"-1e3"}},
      {"customer/guid eq 'AAAAAAAA-1111-2222-3333-bbbbbbbbbbbb'",
       "r.customer_id = $3::uuid",
       {"aaaaaaaa-1111-2222-3333-bbbbbbbbbbbb"}},
      {"customerId eq deadbeef-1111-2222-3333-444444444444",
       "r.customer_id = $3::uuid",
       {"deadbeef-1111-2222-3333-444444444444"}},
      {"guid eq deadbeef-1111-2222-3333-444444444444",
       "r.guid = $3::uuid",
       {"deadbeef-1111-2222-3333-444444444444"}},
      {"createdAt ge 2026-11-20T05:45:12.345+02:00",
       "r.created_at >= $3::timestamptz",
       {"2026-11-20 03:45:12.345000+00"}},
      {"createdAt lt '2026-11-20'", "r.created_at < $3::timestamptz", {"2026-11-20 00:00:00.000000+00"}},
      {"createdAt le 2026-11-20", "r.created_at <= $3::timestamptz", {"2026-11-20 00:00:00.000000+00"}},
  });
}

TEST(Filter, PathsAcceptBothSeparatorsAndFieldsAreCaseSensitive) {
  expect_sql({
      {"deliveryAddress/city eq 'Köln'", "r.delivery_city = $3", {"Köln"}},
      {"deliveryAddress.city eq 'Köln'", "r.delivery_city = $3", {"Köln"}},
  });
  expect_error({{"Status eq 'ready'", "unknown field Status at character 1"}});
}

TEST(Filter, APurchaseIsASecondPathOfTheLabel) {
  expect_sql({{"purchase/price gt 20", "r.shipping_price > $3::numeric", {"20"}},
              {"purchase.status eq 'bought' and currency eq 'EUR'",
               "(r.label_status = $3 and r.currency = $4)",
               {"bought", "EUR"}}},
             record_type(EntityType::shipment));
}

TEST(Filter, KeywordsAndFunctionsComeInAnyCase) {
  expect_sql({
      {"NOT (status EQ 'a') And ToLower(status) nE 'b' OR TRUE",
       "(((r.status = $3) is not true and lower(r.status) is distinct from $4) or true)",
       {"a", "b"}},
      {"status IN ('a') and notes Eq NULL", "(r.status in ($3) and r.notes is null)", {"a"}},
  });
}

TEST(Filter, PrecedenceIsThatOfOData) {
  expect_sql({
      {"status eq 'a' or status eq 'b' and status eq 'c'",
       "(r.status = $3 or (r.status = $4 and r.status = $5))",
       {"a", "b", "c"}},
      {"(status eq 'a' or status eq 'b') and status eq 'c'",
       "((r.status = $3 or r.status = $4) and r.status = $5)",
       {"a", "b", "c"}},
      {"not contains(status,'a') and status eq 'b'",
       "((r.status like $3) is not true and r.status = $4)",
       {"%a%", "b"}},
      {"totalValue gt 5 eq true", "((r.total_value > $3::numeric) is true) = true", {"5"}},
      {"true eq totalValue gt 5", "true = ((r.total_value > $3::numeric) is true)", {"5"}},
      {"not status in ('a')", "(r.status in ($3)) is not true", {"a"}},
      {"status eq 'a' eq true eq false", "((((r.status = $3) is true) = true) is true) = false", {"a"}},
  });
  expect_error({{"not status eq 'a'",
                 "not needs a condition in parentheses, as in not (…); found status at character 5"}});
}

TEST(Filter, ChainsStayFlat) {
  expect_sql({
      {"true and false and true", "(true and false and true)"},
      {"true or (false or true)", "(true or (false or true))"},
  });
}

TEST(Filter, EitherSideMayBeFieldFunctionOrLiteral) {
  expect_sql({
      {"5 lt totalValue", "$3::numeric < r.total_value", {"5"}},
      {"'x' eq tolower(notes)", "$3 = lower(r.notes)", {"x"}},
      {"toupper(tolower('x')) eq notes", "upper(lower($3::text)) = r.notes", {"x"}},
      {"orderNumber eq notes", "r.order_number is not distinct from r.notes"},
      {"orderNumber ne notes", "r.order_number is distinct from r.notes"},
      {"createdAt lt updatedAt", "r.created_at < r.updated_at"},
      {"'a' eq 'b'", "$3::text = $4::text", {"a", "b"}},
      {"1 lt 2", "$3::numeric < $4::numeric", {"1", "2"}},
      {"2026-01-01 lt '2026-01-02'",
       "$3::timestamptz < $4::timestamptz",
       {"2026-01-01 00:00:00.000000+00", "2026-01-02 00:00:00.000000+00"}},
      {"true ne false", "true is distinct from false"},
  });
}

TEST(Filter, EqAndNeTestForNullWhichMakesOtherComparisonsFalse) {
  expect_sql({
      {"notes eq null", "r.notes is null"},
      {"null ne notes", "r.notes is not null"},
      {"notes gt null", "(r.notes is null and false)"},
      {"null eq null", "true"},
      {"null ne null", "false"},
      {"null lt null", "false"},
      {"5 eq null", "$3::numeric is null", {"5"}},
      {"notes ne 'x'", "r.notes is distinct from $3", {"x"}},
      {"not (totalValue gt 5)", "(r.total_value > $3::numeric) is not true", {"5"}},
      {"(totalValue gt 5) eq null", "((r.total_value > $3::numeric) is true) is null", {"5"}},
  });
}

TEST(Filter, EqualityOfSearchedTextsIsFoundByTheirIndexOfWords) {
  expect_sql({
      {"orderNumber eq 'ORD-1'", "r.order_number = $3", {"ORD-1"}},
      {"deliveryAddress/street eq 'Weg 1'",
       "(r.delivery_street = $3 and r.search_text like lower($4))",
       {"Weg 1", "%Weg 1%"}},
      {"tolower(customer/email) eq 'anna@b.c'",
       "r.customer_id in (select x.guid from customers x where x.business_id = $1 and (lower(x.email) = $3 "
       "and "
       "x.search_text like lower($4)))",
       {"anna@b.c", "%anna@b.c%"}},
      {"tolower(notes) eq 'a_bcd'",
       "(lower(r.notes) = $3 and r.search_text like lower($4))",
       {"a_bcd", "%a\\_bcd%"}},
      {"notes eq 'ab'", "r.notes = $3", {"ab"}},
      {"notes eq 'a_b'", "r.notes = $3", {"a_b"}},
      {"toupper(notes) eq 'ABC'", "upper(r.notes) = $3", {"ABC"}},
      {"notes ge 'abc'", "r.notes >= $3", {"abc"}},
      {"not (notes eq 'abc')", "(r.notes = $3) is not true", {"abc"}},
  });
}

TEST(Filter, InListsKeepNull) {
  expect_sql({
      {"status in ('a', 'b')", "r.status in ($3, $4)", {"a", "b"}},
      {"totalValue in (1,2.5)", "r.total_value in ($3::numeric, $4::numeric)", {"1", "2.5"}},
      {"notes in ('a', null)", "(r.notes in ($3) or r.notes is null)", {"a"}},
      {"notes in (null)", "r.notes is null"},
      {"'a' in ('a','b')", "$3::text in ($4, $5)", {"a", "a", "b"}},
      {"guid in ('deadbeef-1111-2222-3333-444444444444')",
       "r.guid in ($3::uuid)",
       {"deadbeef-1111-2222-3333-444444444444"}},
      {"customer/name in ('a')",
       "r.customer_id in (select x.guid from customers x where x.business_id = $1 and x.name in ($3))",
       {"a"}},
  });
}

TEST(Filter, StringFunctionsEscapeTheirPattern) {
  expect_sql({
      {"contains(status,'50%_\\')", "r.status like $3", {"%50\\%\\_\\\\%"}},
      {"startswith(status,'a')", "r.status like $3", {"a%"}},
      {"endswith(status,'a')", "r.status like $3", {"%a"}},
      {"contains(status,'')", "r.status like $3", {"%%"}},
      {"contains(tolower(status),tolower('A'))", "lower(r.status) like lower($3)", {"%A%"}},
      {"contains(toupper(status),toupper('a'))", "upper(r.status) like upper($3)", {"%a%"}},
      {"contains('abc',status)", "strpos($3::text, r.status) > 0", {"abc"}},
      {"startswith('abc',status)", "starts_with($3::text, r.status)", {"abc"}},
      {"endswith('abc',status)", "right($3::text, length(r.status)) = r.status", {"abc"}},
      {"contains('abc','b')", "$3::text like $4", {"abc", "%b%"}},
      {"contains(status,'a') eq false", "((r.status like $3) is true) = false", {"%a%"}},
  });
}

TEST(Filter, StringTestsOfSearchableFieldsAreServedByTheSearchIndex) {
  expect_sql({
      {"contains(notes,'Abc')", "(r.notes like $3 and r.search_text like lower($4))", {"%Abc%", "%Abc%"}},
      {"startswith(tolower(notes),'abc')",
       "(lower(r.notes) like $3 and r.search_text like lower($4))",
       {"abc%", "%abc%"}},
      {"contains(notes,'äb')", "r.notes like $3", {"%äb%"}},
      {"not contains(notes,'Abc')", "(r.notes like $3) is not true", {"%Abc%"}},
      {"contains(toupper(notes),'ABC')", "upper(r.notes) like $3", {"%ABC%"}},
      {"contains(serviceLevel,'express')", "r.service_level like $3", {"%express%"}},
      {"contains(customer/email,'@example')",
       "r.customer_id in (select x.guid from customers x where x.business_id = $1 and "
       "(x.email like $3 and x.search_text like lower($4)))",
       {"%@example%", "%@example%"}},
  });
}

TEST(Filter, AStartIsFoundByTheIndexOfItsColumn) {
  expect_sql({
      {"startswith(orderNumber,'ORD-')", "r.order_number like $3", {"ORD-%"}},
      {"startswith(deliveryAddress/city,'Lis')", "r.delivery_city like $3", {"Lis%"}},
      {"startswith(customer/name,'Ada')",
       "r.customer_id in (select x.guid from customers x where x.business_id = $1 and x.name like $3)",
       {"Ada%"}},
      {"startswith(tolower(orderNumber),'ord-')",
       "(lower(r.order_number) like $3 and r.search_text like lower($4))",
       {"ord-%", "%ord-%"}},
      {"endswith(orderNumber,'-000')",
       "(r.order_number like $3 and r.search_text like lower($4))",
       {"%-000", "%-000%"}},
  });
}

TEST(Filter, AScanTestsEachTextOnce) {
  const auto for_scans = [](const std::string& text) {
    const auto fragment = std::get<SqlFragment>(compile_filter(text, orders, 3));
    const auto parameters = std::ranges::count(fragment.text, '$');
    if (!fragment.text_for_scans.empty()) {
      EXPECT_EQ(std::ranges::count(fragment.text_for_scans, '$'), parameters) << text;
    }
    return fragment.text_for_scans;
  };
  EXPECT_EQ(for_scans("status eq 'ready' and contains(notes,'abc')"),
            "(r.status = $3 and (r.notes like $4 and $5::text is not null))");
  EXPECT_EQ(for_scans("contains(customer/email,'@example')"),
            "r.customer_id in (select x.guid from customers x where x.business_id = $1 and "
            "(x.email like $3 and $4::text is not null))");
  for (const auto* const text : {"status eq 'ready'", "contains(notes,'ab')", "not contains(notes,'abc')"})
    EXPECT_EQ(for_scans(text), "") << text;
}

TEST(Filter, RelativesAreLookedUpByTheirOwnIndexIfTheResultIsTheSame) {
  expect_sql({
      {"customer/name eq 'X'",
       "r.customer_id in (select x.guid from customers x where x.business_id = $1 and x.name = $3)",
       {"X"}},
      {"customer/name eq 'X' and status eq 'a'",
       "(r.customer_id in (select x.guid from customers x where x.business_id = $1 and x.name = $3) and "
       "r.status = $4)",
       {"X", "a"}},
      {"customer/name eq 'X' or status eq 'a'",
       "(r.customer_id = any(array(select x.guid from customers x where x.business_id = $1 and x.name = $3)) "
       "or "
       "r.status = $4)",
       {"X", "a"}},
      {"not ('X' eq tolower(customer/name))",
       "(r.customer_id = any(array(select x.guid from customers x where x.business_id = $1 and $3 = "
       "lower(x.name)))) "
       "is not true",
       {"X"}},
      {"customer/name lt customer/email",
       "r.customer_id in (select x.guid from customers x where x.business_id = $1 and x.name < x.email)"},
      {"carrier/name eq 'DHL'",
       "r.carrier_id in (select x.guid from carriers x where (x.business_id = $1 or x.business_id = "
       "catalogue_business()) and x.name = $3)",
       {"DHL"}},
  });
}

TEST(Filter, MissingRelativesCountAsNull) {
  const std::string name =
      "(select x.name from customers x where x.business_id = r.business_id and x.guid = r.customer_id)";
  expect_sql({
      {"customer/name eq null", name + " is null"},
      {"customer/name ne 'X'", name + " is distinct from $3", {"X"}},
      {"customer/name eq notes", name + " is not distinct from r.notes"},
      {"customer/name gt notes", name + " > r.notes"},
      {"customer/name in ('X', null)", "(" + name + " in ($3) or " + name + " is null)", {"X"}},
      {"carrier/name eq null",
       "(select x.name from carriers x where (x.business_id = r.business_id or x.business_id = "
       "catalogue_business()) and x.guid = r.carrier_id limit 1) is null"},
  });
}

TEST(Filter, ALinkThatTheListCompletesIsComparedAsTheListShowsIt) {
  const auto& shipments = record_type(EntityType::shipment);
  const auto compiled = [&](std::string_view text) {
    return std::get<SqlFragment>(compile_filter(text, shipments, 3));
  };
  const std::string link =
      "coalesce(r.carrier_tracking_url, (select tracking_url(x.tracking_url_pattern, "
      "r.carrier_tracking_number) from carriers x where (x.business_id = r.business_id or x.business_id = "
      "catalogue_business()) and x.guid = r.carrier_id limit 1))";
  EXPECT_EQ(compiled("carrierTrackingUrl eq 'https://x.co/T1'").text, link + " = $3");
  EXPECT_EQ(compiled("carrierTrackingUrl eq 'https://x.co/T1'").sole_column, "")
      << "the column does not decide";
  EXPECT_EQ(compiled("startswith(carrierTrackingUrl,'https://x')").text, link + " like $3");
  EXPECT_EQ(compiled("carrierTrackingUrl ne null").text, link + " is not null");
  EXPECT_EQ(compiled("carrierTrackingNumber eq 'T1'").text.find("coalesce"), std::string::npos);
}

TEST(Filter, TheBusinessIsWrittenAsInTheStatement) {
  const auto result = compile_filter("customer.name eq 'X'", orders, 7, "$5");
  EXPECT_EQ(std::get<SqlFragment>(result).text,
            "r.customer_id in (select x.guid from customers x where x.business_id = $5 and x.name = $7)");
}

TEST(Filter, TagsAreFoundByTheIndexOfTheirTable) {
  const std::string found = "lower_tags(r.tags) @> array[(select lower($3::text))]";
  const std::string in_a_usual_form =
      "jsonb_exists_any(r.tags, (select array_agg(f) from unnest(array[$3::text, lower($3::text), "
      "upper($3::text), initcap($3::text), upper(left($3::text, 1)) || lower(substr($3::text, 2))]) f "
      "where lower(f) = lower($3::text))) or ";
  expect_sql({
      {"tags eq 'Vip'", found, {"Vip"}},
      {"'Vip' eq tags", found, {"Vip"}},
      {"tags ne 'Vip'", "((" + in_a_usual_form + found + ")) is not true", {"Vip"}},
      {"not (tags eq 'Vip')", "((" + in_a_usual_form + found + ")) is not true", {"Vip"}},
      {"tags in ('a','b')",
       "(" + found + " or lower_tags(r.tags) @> array[(select lower($4::text))])",
       {"a", "b"}},
      {"tags eq null", "(jsonb_array_length(r.tags) > 0) is not true"},
      {"null ne tags", "(jsonb_array_length(r.tags) > 0) is true"},
  });
  expect_error({
      {"tags eq 5", "5 is a number, but tags is a list of texts at character 9"},
      {"tags gt 'a'", "tags can only be compared with a text, by eq, ne or in at character 1"},
      {"tags lt null", "tags can only be compared with a text, by eq, ne or in at character 1"},
      {"tags eq tags", "tags can only be compared with a text, by eq, ne or in at character 1"},
      {"contains(tags,'a')", "tags is a list of texts, but contains needs text at character 10"},
      {"tags", "tags is not a condition at character 1"},
  });
}

TEST(Filter, TheSigmasAreOneLetterWithoutRegardToCase) {
  const std::string capitals = "translate(lower($3::text), 'ς', 'σ')";
  const std::string tagged = "lower_tags(r.tags) && (select array[lower($3::text), " + capitals +
                             ", regexp_replace(" + capitals + ", 'σ\\M', 'ς', 'g')])";
  expect_sql({
      {"tags eq 'ΠΕΛΆΤΗΣ'", tagged, {"ΠΕΛΆΤΗΣ"}},
      {"tags ne 'πελάτης'", "(" + tagged + ") is not true", {"πελάτης"}},
      {"tolower(notes) eq tolower('ΓΙΏΡΓΟΣ')",
       "(translate(lower(r.notes), 'ς', 'σ') = translate(lower($3::text), 'ς', 'σ') and r.search_text like "
       "lower($4))",
       {"ΓΙΏΡΓΟΣ", "%ΓΙΏΡΓΟ_%"}},
      {"tolower(notes) ne 'ος'",
       "translate(lower(r.notes), 'ς', 'σ') is distinct from translate($3, 'ς', 'σ')",
       {"ος"}},
      {"endswith(tolower(notes),'ώργος')",
       "(translate(lower(r.notes), 'ς', 'σ') like translate($3, 'ς', 'σ') and r.search_text like lower($4))",
       {"%ώργος", "%ώργο_%"}},
      {"contains(tolower(notes),'γιος')",
       "(translate(lower(r.notes), 'ς', 'σ') like translate($3, 'ς', 'σ') and r.search_text like lower($4))",
       {"%γιος%", "%γιο_%"}},
      {"contains(tolower(notes),'ίος')",
       "translate(lower(r.notes), 'ς', 'σ') like translate($3, 'ς', 'σ')",
       {"%ίος%"}},
      {"tolower(status) in ('a','ς')",
       "translate(lower(r.status), 'ς', 'σ') in (translate($3, 'ς', 'σ'), translate($4, 'ς', 'σ'))",
       {"a", "ς"}},
      {"tolower(notes) eq tolower(status)",
       "translate(lower(r.notes), 'ς', 'σ') is not distinct from translate(lower(r.status), 'ς', 'σ')"},
      {"notes eq 'Πελάτης'", "(r.notes = $3 and r.search_text like lower($4))", {"Πελάτης", "%Πελάτης%"}},
  });
}

TEST(Filter, AnEqualityWithOwnDataNamesItsValue) {
  const auto value = [](std::string_view text) {
    return std::get<SqlFragment>(compile_filter(text, orders, 3)).own_value;
  };
  EXPECT_EQ(value("tags eq 'vip'"), "'t' || lower($3::text)");
  EXPECT_EQ(value("tags ne 'vip'"), value("tags eq 'vip'"));
  EXPECT_EQ(value("not (tags eq 'vip')"), value("tags eq 'vip'"));
  EXPECT_EQ(value("externalReference eq 'x'"), "'r' || $3::text");
  EXPECT_EQ(value("'x' eq externalReference"), value("externalReference eq 'x'"));
  EXPECT_EQ(value("metadata/a eq 'x'"), "'m' || jsonb_build_object($3::text, $4::text)::text");
  EXPECT_EQ(value("metadata/a eq 1.50"),
            "'m' || jsonb_build_object($3::text, trim_scale($4::numeric))::text");
  EXPECT_EQ(value("metadata/a eq true"), "'m' || jsonb_build_object($3::text, true)::text");
  for (const std::string_view other :
       {"tags in ('vip')", "tags eq null", "externalReference gt 'x'", "tags eq 'vip' and status eq 'ready'",
        "not (tags ne 'vip')", "status eq 'ready'", "contains(externalReference,'x')", "metadata/a gt 1",
        "tolower(externalReference) eq 'x'", "tags eq 'Πελάτης'"}) {
    EXPECT_EQ(value(other), "") << other;
  }
}

TEST(Filter, AFilterByOwnDataNamesTheConditionOfTheOtherRows) {
  const auto complement = [](std::string_view text) {
    return std::get<SqlFragment>(compile_filter(text, orders, 3)).complement;
  };
  const std::string found = "lower_tags(r.tags) @> array[(select lower($3::text))]";
  EXPECT_EQ(complement("tags ne 'vip'"), found);
  EXPECT_EQ(complement("not (tags eq 'vip')"), found);
  EXPECT_EQ(complement("externalReference ne 'x'"), "r.external_reference = $3");
  EXPECT_EQ(complement("not (tags eq 'vip' and notes eq 'x')"), "(" + found + " and r.notes = $4)");
  EXPECT_EQ(complement("tags eq 'vip'"), "");
  EXPECT_EQ(complement("tags ne 'vip' and notes eq 'x'"), "");
  EXPECT_EQ(complement("notes ne 'x'"), "") << "no index finds the others";
  EXPECT_EQ(complement("not (tags eq 'vip' and contains(notes,'long'))"), "") << "it has further parameters";
}

TEST(Filter, MetadataAreComparedInTheTypeOfTheValue) {
  const std::string text =
      "(case when jsonb_typeof(r.metadata -> $3) = 'string' then (r.metadata ->> $3) end)";
  const std::string number =
      "(case when jsonb_typeof(r.metadata -> $3) = 'number' then (r.metadata ->> $3)::numeric end)";
  expect_sql({
      {"metadata/erp.id-2 eq 'x'", "r.metadata @> jsonb_build_object($3::text, $4::text)", {"erp.id-2", "x"}},
      {"metadata.a eq 5", "r.metadata @> jsonb_build_object($3::text, $4::numeric)", {"a", "5"}},
      {"true eq metadata/a", "r.metadata @> jsonb_build_object($3::text, true)", {"a"}},
      {"metadata/a ne 'x'", "(r.metadata @> jsonb_build_object($3::text, $4::text)) is not true", {"a", "x"}},
      {"metadata/1 in (1, null)",
       "(r.metadata @> jsonb_build_object($3::text, $4::numeric) or (r.metadata ->> $5) is null)",
       {"1", "1", "1"}},
      {"metadata/a eq null", "(r.metadata ->> $3) is null", {"a"}},
      {"metadata/a gt 5", number + " > $4::numeric", {"a", "5"}},
      {"metadata/a ge 'x'", text + " >= $4", {"a", "x"}},
      {"contains(metadata/a,'x')", text + " like $4", {"a", "%x%"}},
      {"tolower(metadata/a) eq 'x'", "lower(" + text + ") = $4", {"a", "x"}},
      {"metadata/a eq notes", text + " is not distinct from r.notes", {"a"}},
  });
  expect_error({
      {"metadata eq 1", "metadata needs a key, as in metadata/KEY at character 1"},
      {"metadata/ eq 1", "a key of metadata has 1 to 40 characters at character 1"},
      {"metadata/" + std::string(41, 'k') + " eq 1",
       "a key of metadata has 1 to 40 characters at character 1"},
      {"metadata/a/b eq 1", "unexpected / at character 11"},
      {"metadata/a eq metadata/b", "two values of the metadata cannot be compared at character 15"},
      {"metadata/a eq createdAt",
       "createdAt is a timestamp, but metadata.a is a value of the metadata at character 15"},
      {"metadata/a", "metadata.a is not a condition at character 1"},
      {"metadatax eq 1", "unknown field metadatax at character 1"},
  });
}

TEST(Filter, SourcesAndRecipientsAreFoundByTheirIndexes) {
  expect_sql({
      {"source/type eq 'import'", "r.integration_id is not null"},
      {"source/type eq 'sql'", "r.source_kind = $3", {"sql"}},
      {"source/integration/name eq 'shop'",
       "r.integration_id in (select x.guid from integrations x where x.business_id = $1 and x.store_name = "
       "$3)",
       {"shop"}},
      {"deliveryAddress/name eq 'Grace'",
       "(r.delivery_name = $3 and r.recipient_text like lower($4))",
       {"Grace", "%Grace%"}},
  });
}

TEST(Filter, AnExternalIdIsFoundByTheIndexOfTheStores) {
  expect_sql({{"source/externalId eq 'x1'",
               "(r.external_id = $3 and r.integration_id = any(array(select x.guid from integrations x where "
               "x.business_id = $1)))",
               {"x1"}},
              {"not (source/externalId eq 'x1')", "(r.external_id = $3) is not true", {"x1"}}});
}

TEST(Filter, NamesTheColumnThatAloneDecides) {
  for (const auto& [text, column] : std::vector<std::pair<std::string, std::string>>{
           {"status eq 'ready'", "status"},
           {"customer/guid eq deadbeef-1111-2222-3333-444444444444", "customer_id"},
           {"createdAt ge 2026-11-20", "created_at"},
           {"createdAt ge 2026-11-20 and createdAt lt 2026-11-21", "created_at"},
           {"createdAt eq 2026-11-20", "created_at"},
           {"externalReference eq 'a'", "external_reference"},
           {"status ne 'ready'", ""},
           {"status eq null", ""},
           {"status in ('ready')", ""},
           {"status eq 'ready' and createdAt ge 2026-11-20", ""},
           {"createdAt ge 2026-11-20 or createdAt lt 2026-11-19", ""},
           {"createdAt ne 2026-11-20", ""},
           {"not (status eq 'ready')", ""},
           {"tolower(status) eq 'ready'", ""},
           {"customer/name eq 'Ada'", ""},
           {"source/type eq 'api'", ""},
           {"tags eq 'vip'", ""},
           {"metadata/a eq 'b'", ""},
           {"notes eq 'long'", ""},
           {"", ""},
       }) {
    EXPECT_EQ(std::get<SqlFragment>(compile_filter(text, orders, 3)).sole_column, column) << text;
  }
}

TEST(Filter, TheStatusAloneDecidesIfNoOtherFieldTakesPart) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, bool>>{
           {"status eq 'ready'", true},
           {"status ne 'ready'", true},
           {"status in ('ready','shipped')", true},
           {"not (status eq 'ready' or startswith(toupper(status),'S'))", true},
           {"status ne null", true},
           {"'ready' eq status", true},
           {"status eq 'ready' or notes eq 'long'", false},
           {"status eq notes", false},
           {"statusChangedAt ge 2026-01-01", false},
           {"status eq 'ready' and carrier/name eq 'x'", false},
           {"'a' eq 'a'", false},
           {"true", false},
           {"", false},
       }) {
    EXPECT_EQ(std::get<SqlFragment>(compile_filter(text, orders, 3)).is_of_status, expected) << text;
  }
}

TEST(Filter, EmptyTextMatchesEverything) { expect_sql({{"", "true"}, {" \t", "true"}}); }

TEST(Filter, InputIsOnlyInParameters) {
  for (const std::string evil :
       {"'; drop table orders; --", "\\'' or 1=1", "$1", "%", "x) or (true", "\"a\"", "/**/", "\n"}) {
    std::string quoted;
    for (const char c : evil) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    const auto equal = std::get<SqlFragment>(compile_filter("status eq '" + quoted + "'", orders, 3));
    EXPECT_EQ(equal.text, "r.status = $3");
    EXPECT_EQ(equal.params, Params{evil});
    const auto search =
        std::get<SqlFragment>(compile_search("a" + evil, record_type(EntityType::product), 3));
    EXPECT_EQ(search.text.find("drop"), std::string::npos);
  }
  expect_error({
      {"status eq 'a'; drop table orders", "unexpected ; at character 14"},
      {"status eq \"a\"", "unexpected \" at character 11"},
      {"status eq $1", "unexpected $ at character 11"},
      {"status = 'a'", "unexpected = at character 8"},
      {"status eq 'a' -- x", "unexpected - at character 15"},
      {"pg_sleep(10)", "unknown function pg_sleep at character 1"},
      {"search_text eq 'a'", "unknown field search_text at character 1"},
  });
}

}  // namespace
}  // namespace waybill::domain
