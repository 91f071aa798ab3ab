#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "documents/label.hpp"

// The sheets that go with orders through a warehouse. Texts are UTF-8 of any length. They wrap and continue
// on further pages, which repeat the head of their table; none is cut. Text of any script is shaped and can
// be extracted; printable_text.hpp states which characters are left out. Equal arguments give equal PDFs if
// the machine has the same fonts. 1 000 items take some 100 ms, 1 000 different Han characters as much. Any
// thread; documents are drawn one after the other. The functions throw MissingFont or UnprintableField
// (label.hpp), or std::runtime_error if the PDF cannot be created.
namespace waybill::documents {

struct SlipItem {
  std::string sku;
  std::string name;
  std::int64_t quantity = 0;
};

/// The contents of a parcel, for its recipient. Empty texts are left out.
struct PackingSlip {
  std::string sender_name;  // as in mails of the business
  std::string brand_color;  // "#rrggbb", of the line below the sender; empty: black
  Party sender;
  Party recipient;
  std::string order_number;
  std::string reference;
  std::string notes;
  std::vector<SlipItem> items;
};

/// Renders packing slips as one PDF, each on A4 pages of its own. Not for an empty list.
std::string render_packing_slips(const std::vector<PackingSlip>& slips);

struct PickedItem {
  std::string sku;
  std::string name;
  std::int64_t quantity = 0;  // in all orders
  struct Part {
    std::string order_number;
    std::int64_t quantity = 0;
  };
  std::vector<Part> parts;
};

/// The items of some orders, for the person who collects them.
struct PickList {
  std::string sender_name;
  std::vector<std::string> order_numbers;
  std::vector<PickedItem> items;
};

/// Renders a pick list as a PDF of A4 pages.
std::string render_pick_list(const PickList& list);

}  // namespace waybill::documents
