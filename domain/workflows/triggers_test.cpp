#include "domain/workflows/triggers.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using Codes = std::set<std::string_view>;

Codes codes(const TriggerSet& set) {
  Codes result;
  for (const Trigger& trigger : triggers()) {
    if (set.test(trigger_index(trigger))) result.insert(trigger.code);
  }
  return result;
}

Change updated(EntityType type, std::initializer_list<std::string_view> changed_paths,
               json::object entity = {}) {
  Change change;
  change.type = type;
  change.entity = std::move(entity);
  for (const auto path : changed_paths) {
    const Field* field = record_type(type).find(path);
    EXPECT_NE(field, nullptr) << path;
    change.changed.set(record_type(type).index_of(*field));
    if (field->has_role(ColumnRole::status)) change.previous_status = "before";
  }
  return change;
}

Codes fired(EntityType type, std::initializer_list<std::string_view> changed_paths,
            json::object entity = {}) {
  return codes(fired_triggers(updated(type, changed_paths, std::move(entity))));
}

TEST(Triggers, TheCatalogueIsThatOfTheContract) {
  Codes all;
  for (const Trigger& trigger : triggers()) {
    EXPECT_TRUE(all.insert(trigger.code).second) << trigger.code;
    EXPECT_FALSE(trigger.name.empty() || trigger.description.empty());
    EXPECT_EQ(find_trigger(trigger.code), &trigger);
    EXPECT_EQ(find_trigger(trigger.guid), &trigger);
    EXPECT_EQ(&triggers()[trigger_index(trigger)], &trigger);
  }
  EXPECT_EQ(all, (Codes{"order_created",
                        "order_updated",
                        "order_status_changed",
                        "order_cancelled",
                        "order_shipped",
                        "order_delivered",
                        "order_collection_scheduled",
                        "order_deleted",
                        "shipment_created",
                        "shipment_updated",
                        "shipment_status_changed",
                        "shipment_collected",
                        "shipment_in_transit",
                        "shipment_out_for_delivery",
                        "shipment_delivered",
                        "shipment_exception",
                        "shipment_returned",
                        "shipment_cancelled",
                        "shipment_dispatched",
                        "shipment_label_bought",
                        "shipment_label_failed",
                        "shipment_label_voided",
                        "shipment_trace_added",
                        "shipment_deleted",
                        "customer_created",
                        "customer_updated",
                        "customer_deleted",
                        "customer_erased",
                        "product_created",
                        "product_updated",
                        "product_price_changed",
                        "product_deleted"}));
  EXPECT_EQ(find_trigger("order_lost"), nullptr);
  EXPECT_EQ(find_trigger(Guid{}), nullptr);
}

TEST(Triggers, NameTheFirstFieldWhoseChangeTheyAreFor) {
  EXPECT_EQ(find_trigger("product_price_changed")->field, "price");
  EXPECT_EQ(find_trigger("order_collection_scheduled")->field, "collectionDate");
  EXPECT_EQ(find_trigger("shipment_label_failed")->field, "labelStatus");
  for (const char* code : {"product_updated", "order_status_changed", "order_created"})
    EXPECT_EQ(find_trigger(code)->field, "") << code;
}

TEST(Triggers, AreGroupedByEntityType) {
  std::size_t count = 0;
  for (const RecordType& type : record_types()) {
    for (const Trigger& trigger : triggers(type.type)) {
      EXPECT_EQ(trigger.entity_type, type.type);
      EXPECT_TRUE(trigger.code.starts_with(std::string(type.label) + "_"));
      ++count;
    }
  }
  EXPECT_EQ(count, triggers().size());
}

TEST(Triggers, HaveTheSameGuidEverywhere) {
  EXPECT_EQ(find_trigger("order_created")->guid,
            Guid::from_name(namespace_url, "waybill:trigger:order_created"));
}

TEST(Triggers, CreatedAndDeletedFireNothingElse) {
  for (const RecordType& type : record_types()) {
    Change change;
    change.type = type.type;
    change.entity = {{"status", "cancelled"}};
    change.created = true;
    const std::string created = std::string(type.label) + "_created";
    EXPECT_EQ(codes(fired_triggers(change)), Codes{created});
    change.created = false;
    change.deleted = true;
    const std::string deleted = std::string(type.label) + "_deleted";
    EXPECT_EQ(codes(fired_triggers(change)), Codes{deleted});
  }
}

TEST(Triggers, AStatusFiresItsOwnAndTheGeneralTriggerButNoUpdate) {
  const std::set<std::string_view> order_own{"cancelled", "shipped", "delivered"};
  for (const std::string_view status :
       {"draft", "pending", "processing", "ready", "shipped", "delivered", "cancelled"}) {
    const std::string own = "order_" + std::string(status);
    Codes expected{"order_status_changed"};
    if (order_own.contains(status)) expected.insert(own);
    EXPECT_EQ(fired(EntityType::order, {"status", "updatedAt"}, {{"status", status}}), expected) << status;
  }
  for (const std::string_view status : {"created", "collected", "in_transit", "out_for_delivery", "delivered",
                                        "exception", "returned", "cancelled"}) {
    const std::string own = "shipment_" + std::string(status);
    Codes expected{"shipment_status_changed"};
    if (status != "created") expected.insert(own);
    EXPECT_EQ(fired(EntityType::shipment, {"status", "deliveredAt"}, {{"status", status}}), expected)
        << status;
  }
}

TEST(Triggers, UpdatedFiresForEachFieldButStatusLabelBookkeepingAndDispatch) {
  for (const RecordType& type : record_types()) {
    const std::string code = std::string(type.label) + "_updated";
    for (const Field& field : type.fields) {
      if (field.is_of_relatives()) continue;
      const bool is_told = field.has_role(ColumnRole::plain) && field.path != "labelStatus";
      EXPECT_EQ(fired(type.type, {field.path}).contains(code), is_told) << type.name << " " << field.path;
    }
  }
}

TEST(Triggers, NothingFiresWhenOnlyBookkeepingChanged) {
  EXPECT_EQ(fired(EntityType::order, {"updatedAt"}), Codes{});
  EXPECT_EQ(fired(EntityType::shipment, {"updatedAt", "deliveredAt"}), Codes{});
  EXPECT_EQ(fired(EntityType::product, {}), Codes{});
}

TEST(Triggers, CollectionScheduledFiresWithUpdatedWhenThereIsADate) {
  const json::object dated{{"collectionDate", "2026-11-20T00:00:00.000Z"}};
  const Codes both{"order_updated", "order_collection_scheduled"};
  EXPECT_EQ(fired(EntityType::order, {"collectionDate"}, dated), both);
  EXPECT_EQ(fired(EntityType::order, {"timeWindow.start"}, dated), both);
  EXPECT_EQ(fired(EntityType::order, {"timeWindow.end"}, dated), both);
  EXPECT_EQ(fired(EntityType::order, {"collectionDate"}, {{"collectionDate", nullptr}}),
            Codes{"order_updated"});
  EXPECT_EQ(fired(EntityType::order, {"notes"}, dated), Codes{"order_updated"});
}

TEST(Triggers, PriceChangedFiresWithUpdated) {
  EXPECT_EQ(fired(EntityType::product, {"price"}), (Codes{"product_updated", "product_price_changed"}));
  EXPECT_EQ(fired(EntityType::product, {"cost", "variants"}), Codes{"product_updated"});
}

TEST(Triggers, DispatchedFiresAloneWhenPutIntoADispatch) {
  Change put = updated(EntityType::shipment, {"dispatchId", "updatedAt"});
  put.dispatched = true;
  EXPECT_EQ(codes(fired_triggers(put)), Codes{"shipment_dispatched"});
  EXPECT_EQ(fired(EntityType::shipment, {"dispatchId"}), Codes{}) << "taken out of it";
}

/// A move of a shipment's label, which also changes the fields `with`.
Codes label_moved(std::string_view from, std::string_view to,
                  std::initializer_list<std::string_view> with = {}) {
  Change change = updated(EntityType::shipment, with, {{"labelStatus", to}});
  const RecordType& type = record_type(EntityType::shipment);
  change.changed.set(type.index_of(*type.find("labelStatus")));
  change.previous = {{"labelStatus", from}};
  EXPECT_TRUE(moves_label(change));
  return codes(fired_triggers(change));
}

TEST(Triggers, TheMoveOfALabelFiresItsOwnTriggerAlone) {
  EXPECT_EQ(label_moved("", "buying"), Codes{});
  EXPECT_EQ(label_moved("buying", "bought"), Codes{"shipment_label_bought"});
  EXPECT_EQ(label_moved("unknown", "bought"), Codes{"shipment_label_bought"});
  EXPECT_EQ(label_moved("buying", "refused"), Codes{"shipment_label_failed"});
  EXPECT_EQ(label_moved("buying", "unknown"), Codes{"shipment_label_failed"});
  EXPECT_EQ(label_moved("bought", "voiding"), Codes{});
  EXPECT_EQ(label_moved("voiding", "voided"), Codes{"shipment_label_voided"});
  EXPECT_EQ(label_moved("voiding", "bought"), Codes{}) << "a refused void";
}

TEST(Triggers, WhatAPurchaseWritesWithTheMoveIsNoUpdate) {
  EXPECT_EQ(label_moved("buying", "bought",
                        {"carrierTrackingNumber", "carrierTrackingUrl", "shippingPrice", "currency",
                         "carrier.guid", "serviceLevel", "packages", "updatedAt"}),
            Codes{"shipment_label_bought"});
  EXPECT_EQ(label_moved("buying", "bought", {"shippingPrice", "instructions"}),
            (Codes{"shipment_label_bought", "shipment_updated"}));
  EXPECT_EQ(fired(EntityType::shipment, {"shippingPrice"}, {{"labelStatus", "bought"}}),
            Codes{"shipment_updated"})
      << "a later change without a move";
  EXPECT_FALSE(moves_label(updated(EntityType::shipment, {"shippingPrice"})));
  EXPECT_FALSE(moves_label(updated(EntityType::order, {"notes"})));
}

TEST(Triggers, AStatusAndAFieldAtOnceFireBoth) {
  EXPECT_EQ(fired(EntityType::order, {"status", "notes"}, {{"status", "shipped"}}),
            (Codes{"order_status_changed", "order_shipped", "order_updated"}));
}

TEST(Triggers, ATraceFiresItsTriggerBesideThoseOfTheMove) {
  Change scan = updated(EntityType::shipment, {"lastTraceAt", "updatedAt"});
  EXPECT_EQ(codes(fired_triggers(scan)), Codes{});
  scan.traced = true;
  EXPECT_EQ(codes(fired_triggers(scan)), Codes{"shipment_trace_added"});
  Change move =
      updated(EntityType::shipment, {"status", "statusChangedAt", "lastTraceAt"}, {{"status", "delivered"}});
  move.traced = true;
  EXPECT_EQ(codes(fired_triggers(move)),
            (Codes{"shipment_status_changed", "shipment_delivered", "shipment_trace_added"}));
}

TEST(Triggers, AnEventThatCannotBeReadMayMeetWhatItsRecordsAllow) {
  EXPECT_EQ(codes(possible_triggers(EntityType::order, false, true)), Codes{"order_created"});
  EXPECT_EQ(codes(possible_triggers(EntityType::shipment, true, false)), Codes{"shipment_deleted"});
  EXPECT_EQ(codes(possible_triggers(EntityType::customer, false, false)), Codes{"customer_erased"});
  EXPECT_EQ(codes(possible_triggers(EntityType::product, true, true)),
            (Codes{"product_updated", "product_price_changed"}));
}

TriggerChoice choice_of(const json::array& list, EntityType type) {
  return std::get<TriggerChoice>(parse_choice(list, type));
}

std::vector<std::string> problems(const json::array& list) {
  std::vector<std::string> fields;
  const auto parsed_list = parse_choice(list, EntityType::order);
  if (const auto* const errors = std::get_if<FieldErrors>(&parsed_list)) {
    for (const FieldError& error : *errors) fields.push_back(error.field);
  }
  return fields;
}

TEST(TriggerChoice, TheNarrowestComesFirst) {
  const TriggerSet all = choice_of({"*"}, EntityType::order).set;
  const auto ordered = narrowest_first(all);
  ASSERT_EQ(ordered.size(), triggers(EntityType::order).size());
  EXPECT_EQ(ordered[ordered.size() - 2]->code, "order_status_changed");
  EXPECT_EQ(ordered.back()->code, "order_updated");
}

TEST(TriggerChoice, TheStoredFormIsReadBack) {
  std::vector<TriggerChoice> choices{choose(*find_trigger("order_shipped"))};
  choices.push_back(choices.front());
  choices.back().second_format = true;
  choices.push_back(choice_of({"order_shipped"}, EntityType::order));
  choices.push_back(choice_of({"order_updated", "order_created", "order_shipped"}, EntityType::order));
  for (std::size_t type = 0; type < entity_type_count; ++type)
    choices.push_back(choice_of({"*"}, static_cast<EntityType>(type)));
  for (const TriggerChoice& choice : choices)
    EXPECT_EQ(parse_choice(choice.stored()), choice) << choice.stored();
  EXPECT_EQ(choices[0].stored(), "order_shipped");
  EXPECT_EQ(choices[3].first->code, "order_updated") << "the first stays the first";
  for (const char* const unknown : {"", "any:", "any:order_lost", "any:order_created,shipment_created",
                                    "2:", "2:order_lost", "any:fax_*", "9:order_created"})
    EXPECT_EQ(parse_choice(unknown), std::nullopt) << unknown;
}

TEST(TriggerChoice, OnlyTheFirstFormatHasTheCodeOfATrigger) {
  for (const char* const form : {"2:order_shipped", "any:order_shipped", "any:order_*"}) {
    EXPECT_TRUE(parse_choice(form)) << form;
    EXPECT_EQ(find_trigger(std::string_view(form)), nullptr) << "earlier versions hold such a workflow";
  }
}

TEST(TriggerChoice, EachBadCodeIsNamed) {
  EXPECT_EQ(problems({"order_created", "order_updated"}), std::vector<std::string>{});
  EXPECT_EQ(problems({}), std::vector<std::string>{"triggers"});
  EXPECT_EQ(
      problems({"order_created", "order_lost", 5, "shipment_created", "order_created", "*"}),
      (std::vector<std::string>{"triggers[1]", "triggers[2]", "triggers[3]", "triggers[4]", "triggers[5]"}));
}

TEST(Triggers, AnErasureFiresOnlyItsTrigger) {
  Change erasure;
  erasure.type = EntityType::customer;
  erasure.erased = true;
  EXPECT_EQ(codes(fired_triggers(erasure)), Codes{"customer_erased"});
}

TEST(TriggerChoice, TheThirdFormatIsAFormOfTheFirstTwoAfterItsNumber) {
  TriggerChoice single = choose(*find_trigger("order_shipped"));
  single.second_format = single.third_format = true;
  EXPECT_EQ(single.stored(), "3:order_shipped");
  for (const char* const stored : {"3:order_shipped", "3:any:order_shipped,order_created", "3:any:order_*"}) {
    const auto choice = parse_choice(stored);
    ASSERT_TRUE(choice) << stored;
    EXPECT_TRUE(choice->third_format);
    EXPECT_EQ(choice->stored(), stored);
  }
  for (const char* const stored : {"3:", "3:2:order_shipped", "3:3:order_shipped", "9:order_shipped"})
    EXPECT_FALSE(parse_choice(stored)) << stored;
}

TEST(TriggerChoice, TheSixthFormatIsAFormWithTriggersBetweenItsNumberAndADigest) {
  const std::string digest = R"(:{"by":"customer.email","every":"PT1H","quiet":null,"atMost":null,"max":10})";
  for (const std::string& form :
       {"order_shipped", "2:order_shipped", "3:any:order_*", "any:order_shipped,order_updated"}) {
    const std::string stored = std::string("6:").append(form).append(digest);
    const auto choice = parse_choice(stored);
    ASSERT_TRUE(choice && choice->digest) << stored;
    EXPECT_EQ(choice->stored(), stored);
    EXPECT_EQ(choice->digest->terms.max, 10);
    EXPECT_EQ(choice->first->code.substr(0, 6), "order_");
  }
  for (const std::string& form : {"", "6:order_shipped", "timer:order.createdAt:PT2H", "nonsense"})
    EXPECT_FALSE(parse_choice(std::string("6:").append(form).append(digest))) << form;
  for (const char* const stored :
       {"6:order_shipped", "6:order_shipped:{}", "6:order_shipped:{\"every\":1}",
        "4:6:order_shipped:{\"every\":\"PT1H\"}", "5:6:order_shipped:{\"every\":\"PT1H\"}"})
    EXPECT_FALSE(parse_choice(stored)) << stored;
}

TEST(TriggerChoice, TheFourthAndFifthFormatsAreAnyOtherFormAfterTheirNumber) {
  for (const char* const stored : {"4:order_shipped", "4:2:order_shipped", "4:3:any:order_*",
                                   "4:timer:order.createdAt:PT2H", "4:timer:order.createdAt:P2D:workdays"}) {
    const auto choice = parse_choice(stored);
    ASSERT_TRUE(choice) << stored;
    EXPECT_TRUE(choice->fourth_format);
    EXPECT_EQ(choice->stored(), stored);
  }
  for (const char* const stored : {"5:order_shipped", "5:3:any:order_*", "5:4:timer:order.createdAt:PT2H"}) {
    const auto choice = parse_choice(stored);
    ASSERT_TRUE(choice) << stored;
    EXPECT_TRUE(choice->fifth_format);
    EXPECT_EQ(choice->stored(), stored);
  }
  for (const char* const stored :
       {"4:", "4:4:order_shipped", "3:4:order_shipped", "5:", "5:5:order_shipped", "4:5:order_shipped"})
    EXPECT_FALSE(parse_choice(stored)) << stored;
}

}  // namespace
}  // namespace waybill::domain
