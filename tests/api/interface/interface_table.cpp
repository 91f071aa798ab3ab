#include "tests/api/interface/interface_table.hpp"

namespace waybill::tests::interface {
namespace {

constexpr std::string_view csv_form =
    "--end\r\nContent-Disposition: form-data; name=\"file\"; filename=\"c.csv\"\r\n\r\n"
    "name,email,phone,company,street,city,state,postalCode,country\r\nMay,,,,,,,,\r\n\r\n--end--\r\n";

constexpr Row table[] = {
    // Orders
    {"GET", "/api/v1/Orders", "?Page=1&PageSize=100&$orderby=createdAt desc", "", 200, Data::list,
     "guid,orderNumber,status,customer{guid,name},items[description,quantity,price],"
     "deliveryAddress{street,city,state,postalCode,name,company,phone,email},carrier{guid},shippingMethod,"
     "collectionDate,externalReference,tags[],metadata,source{type,integration,externalId,url},"
     "statusChangedAt,"
     "createdAt"},
    {"GET", "/api/v1/Orders/{orderId}", "$order", "", 200, Data::object,
     "guid,orderNumber,status,customer{guid,name,email,phone},"
     "items[guid,description,sku,productId,quantity,price,dimensions{length,width,height,weight}],"
     "deliveryAddress{street,city,state,postalCode,country,name,company,phone,email},carrier{guid,name},"
     "serviceLevel,shippingMethod,shippingCost,shipments[guid,trackingNumber,status],totalValue,currency,"
     "collectionDate,timeWindow{start,end},notes,externalReference,tags[],metadata,"
     "source{type,integration,externalId,url},statusChangedAt,createdAt,updatedAt"},
    {"PATCH", "/api/v1/Orders/{orderId}/status", "$new.order", R"({"status": "processing", "notes": "n"})",
     200, Data::object, "guid,status"},
    {"POST", "/api/v1/Orders/assign-carrier", "",
     R"({"orderIds": ["$new.order"], "carrierId": "$carrier", "serviceLevel": "standard"})", 200, Data::none,
     ""},
    {"POST", "/api/v1/Orders/delete", "", R"([{"guid": "$new.order"}, {"guid": "$new.order"}])", 200,
     Data::empty_array, ""},
    {"POST", "/api/v1/Orders/{orderId}/add-dimension-preset", "$order",
     R"({"presetId": "$preset", "itemId": "$item"})", 200, Data::object, "guid"},
    {"POST", "/api/v1/Orders/{orderId}/assign-collection-date", "$new.order",
     R"({"collectionDate": "2026-11-21T09:00:00Z", "timeWindow": {"start": "09:00", "end": "11:00"}})", 200,
     Data::object, "guid,collectionDate"},
    {"POST", "/api/v1/Orders/{orderId}/shipment", "$new.order", R"({"generateLabel": true})", 201,
     Data::object, "guid,trackingNumber,orderId,status"},
    // Shipments
    {"GET", "/api/v1/shipments",
     "?from=2020-01-01&to=2099-12-31&customerGuid=$customer&status=created&page=1&perPage=100", "", 200,
     Data::list,
     "guid,trackingNumber,status,customer{guid,name},sender{name,address},recipient{name,address},"
     "packages[length,width,height,weight],carrier{guid,name},serviceLevel,instructions,createdAt,"
     "carrierTrackingNumber,carrierTrackingUrl,labelStatus,shippingPrice,currency,externalReference,tags[],"
     "metadata,statusChangedAt,lastTraceAt"},
    {"POST", "/api/v1/shipments", "",
     R"({"customerId": "$customer", "carrierId": "$carrier", "serviceLevel": "standard", "instructions": "ring",
         "sender": {"name": "S", "street": "1", "city": "P", "state": "s", "postalCode": "1", "country": "PT",
                    "phone": "1"},
         "recipient": {"name": "R", "street": "1", "city": "P"}, "packages": [{"length": 1}]})",
     201, Data::none, ""},
    {"GET", "/api/v1/shipments/{shipmentId}", "$shipment", "", 200, Data::object,
     "guid,trackingNumber,status,orderId,customer{guid,name,email,phone},"
     "sender{name,company,phone,address{street,city,state,postalCode,country}},"
     "recipient{name,company,phone,email,address{street,city,state,postalCode,country}},packages[length,"
     "width,height,weight],customs,isReturn,"
     "carrier{guid,name},serviceLevel,instructions,collectionDate,estimatedDelivery,deliveredAt,createdAt,"
     "updatedAt,carrierTrackingNumber,carrierTrackingUrl,trackingUrl,labelStatus,shippingPrice,currency,"
     "purchase{guid,shipmentId,attempt,status,connector,carrier{guid,name},serviceLevel,serviceCode,"
     "serviceName,quote,quoteCurrency,price,currency,isDearer,maxPrice,maxPriceCurrency,format,testMode,"
     "gatewayId,carrierTrackingNumbers[],carrierTrackingUrl,hasLabel,error{code,message},voidState,"
     "resolution,"
     "strayOf,requestedAt,boughtAt,voidedAt},externalReference,tags[],metadata,statusChangedAt,lastTraceAt"},
    {"PUT", "/api/v1/shipments/{shipmentId}", "$shipment",
     R"({"instructions": "ring", "recipient": {"phone": "2"}})", 200, Data::object, "guid"},
    {"DELETE", "/api/v1/shipments/{shipmentId}", "$new.shipment", "", 200, Data::none, ""},
    {"PATCH", "/api/v1/shipments", "",
     R"({"shipmentId": "$shipment", "collectionDate": "2026-11-21T09:00:00Z", "deliveryDate": "2026-11-22T09:00:00Z"})",
     200, Data::object, "guid"},
    {"GET", "/api/v1/shipments/overview", "", "", 200, Data::object,
     "totalShipments,inTransit,delivered,exceptions,pending,onTimeRate,labelCosts[]"},
    {"GET", "/api/v1/shipments/unassigned", "", "", 200, Data::array,
     "guid,trackingNumber,status,recipient{name,city}"},
    {"POST", "/api/v1/shipments/delete", "", R"([{"guid": "$new.shipment"}])", 200, Data::empty_array, ""},
    {"GET", "/api/v1/shipments/{shipmentId}/traces", "$packed", "", 200, Data::array,
     "timestamp,status,description,location"},
    // Customers
    {"GET", "/api/v1/Customers", "?$filter=name eq 'Ada'&$search=ada&PageSize=100", "", 200, Data::list,
     "guid,name,email,phone,company,address{street,city,state,postalCode,country},externalReference,tags[],"
     "metadata"},
    {"POST", "/api/v1/Customers", "",
     R"({"name": "Bea", "email": "bea@example.com", "phone": "1", "company": "c", "address": {"city": "Lisbon"}})",
     201, Data::object, "guid,name,email"},
    {"GET", "/api/v1/Customers/{customerId}", "$customer", "", 200, Data::object,
     "guid,name,email,phone,company,address{street,city,state,postalCode,country},"
     "contacts[guid,name,email,phone,role],references[guid,type,value],externalReference,tags[],metadata"},
    {"PUT", "/api/v1/Customers/{customerId}", "$new.customer",
     R"({"name": "Bee", "email": null, "phone": "2"})", 200, Data::object, "guid,name,email"},
    {"DELETE", "/api/v1/Customers/{customerId}", "$new.customer", "", 200, Data::none, ""},
    {"PATCH", "/api/v1/Customers/{customerId}/references", "$customer", R"({"type": "crm", "value": "42"})",
     200, Data::object, "guid,references[guid,type,value]"},
    {"DELETE", "/api/v1/Customers/{customerId}/references/{referenceId}", "$customer $new.reference", "", 200,
     Data::object, "guid"},
    {"POST", "/api/v1/Customers/{customerId}/contacts", "$customer",
     R"({"name": "Cy", "email": "cy@example.com", "phone": "1", "role": "billing"})", 201, Data::object,
     "guid,name,email"},
    {"PATCH", "/api/v1/Customers/{customerId}/contacts/{contactId}", "$customer $contact",
     R"({"phone": "2"})", 200, Data::object, "guid,name"},
    {"DELETE", "/api/v1/Customers/{customerId}/contacts/{contactId}", "$customer $new.contact", "", 200,
     Data::object, "guid"},
    {"GET", "/api/v1/Customers/{customerId}/recent-shipments", "$customer", "", 200, Data::array,
     "guid,trackingNumber,status,deliveryDate"},
    {"GET", "/api/v1/Customers/{customerId}/sales-analytics", "$customer", "", 200, Data::object,
     "totalOrders,totalShipments,totalValue,averageOrderValue,onTimeDeliveryRate,currency,"
     "byCurrency[currency,orders,value]"},
    {"POST", "/api/v1/Customers/upload", "", csv_form, 201, Data::guid, "", Caller::business,
     "multipart/form-data; boundary=end"},
    {"GET", "/api/v1/Customers/confirm-upload", "?guid=$new.upload", "", 200, Data::none, ""},
    // Products
    {"GET", "/api/v1/Products", "?$orderby=name desc", "", 200, Data::list,
     "guid,name,sku,description,barcode,price,cost,weight,dimensions{length,width,height},hsCode,"
     "originCountry,customsValue,externalReference,tags[],metadata,variantCount"},
    {"POST", "/api/v1/Products", "",
     R"({"name": "Desk", "sku": "DESK-1", "description": "d", "price": 1, "cost": 1, "weight": 1, "barcode": "1",
         "dimensions": {"length": 1, "width": 2, "height": 3}})",
     201, Data::object, "guid,name,sku"},
    {"GET", "/api/v1/Products/{guid}", "$product", "", 200, Data::object,
     "guid,name,sku,description,barcode,price,cost,weight,dimensions{length,width,height},hsCode,"
     "originCountry,customsValue,externalReference,tags[],metadata,variants[guid,name,sku],createdAt"},
    {"PUT", "/api/v1/Products/{guid}", "$product", R"({"price": 2.5})", 200, Data::object, "guid,name"},
    {"POST", "/api/v1/Products/{productId}/variants", "$product",
     R"({"name": "Blue", "sku": "BLUE-1", "priceDifference": -1, "weight": 1, "dimensions": {"length": 1}})",
     201, Data::object, "guid,name,sku"},
    {"GET", "/api/v1/Products/{productId}/variants/{variantId}", "$product $variant", "", 200, Data::object,
     "guid,name,sku,priceDifference,weight,dimensions{length,width,height}"},
    {"PATCH", "/api/v1/Products/{productId}/variants/{variantId}", "$product $variant", R"({"weight": 2})",
     200, Data::object, "guid,name"},
    {"DELETE", "/api/v1/Products/{productId}/variants/{variantId}", "$product $new.variant", "", 200,
     Data::none, ""},
    {"PATCH", "/api/v1/Products/settings", "",
     R"({"autoGenerateSku": true, "defaultUnit": "cm", "defaultWeightUnit": "kg"})", 200, Data::none, ""},
    // Carriers
    {"GET", "/api/carriers", "", "", 200, Data::array, "guid,name,code,type,isConfigured,isActive"},
    {"GET", "/api/carriers/configured", "", "", 200, Data::array,
     "guid,name,code,type,isConfigured,isActive,connector,accountNumber,serviceLevels[code,name]"},
    {"GET", "/api/carriers/lookups", "", "", 200, Data::object,
     "carrierTypes[code,name],serviceLevels[code,name],connectors[code,features[],labelFormats[]]"},
    {"POST", "/api/carriers/configure", "",
     R"({"carrierId": "$new.carrier", "accountNumber": "A-2", "apiKey": "k", "apiSecret": "s", "testMode": true,
         "defaultServiceLevel": "standard"})",
     200, Data::object, "guid,name,isConfigured,isActive,inboundSecret"},
    {"GET", "/api/carriers/{carrierId}", "$carrier", "", 200, Data::object,
     "guid,name,code,type,isConfigured,isActive,serviceLevels[code,name,estimatedDays],"
     "configuration{accountNumber,defaultServiceLevel,apiUrl,testMode,serviceCodes,labelFormat,trackingSync},"
     "features[],trackingUrlPattern,connector"},
    {"PATCH", "/api/carriers/{carrierId}", "$carrier",
     R"({"isActive": true, "defaultServiceLevel": "standard", "apiKey": "k"})", 200, Data::object,
     "guid,name,isActive"},
    {"DELETE", "/api/carriers/{carrierId}", "$new.carrier", "", 200, Data::object, "guid"},
    {"GET", "/api/carriers/contacts", "", "", 200, Data::array, "guid,name,email,phone,role,carrierId"},
    {"POST", "/api/carriers/contacts", "",
     R"({"carrierId": "$carrier", "name": "Di", "email": "di@example.com", "phone": "1", "role": "billing"})",
     201, Data::object, "guid,name,email"},
    // Dispatches and routes
    {"GET", "/api/dispatch/overview", "", "", 200, Data::object,
     "totalDispatches,activeDispatches,completedToday,pendingDeliveries,driversActive,onTimeRate"},
    {"POST", "/api/dispatch", "",
     R"({"name": "Evening", "driverId": "$driver", "vehicleId": "$vehicle", "plannedDate": "2026-11-20T18:00:00Z",
         "shipmentIds": ["$new.shipment"], "notes": "n"})",
     201, Data::object, "guid,name,status,plannedDate,shipmentCount"},
    {"GET", "/api/dispatch/{id}", "$dispatch", "", 200, Data::object,
     "guid,name,status,driver{guid,name},vehicle{guid,name},plannedDate,startedAt,notes,"
     "shipments[guid,trackingNumber,status,estimatedArrival],progress{completed,total,percentage}"},
    {"PUT", "/api/dispatch", "",
     R"({"guid": "$dispatch", "name": "Noon", "driverId": "$driver", "vehicleId": "$vehicle", "notes": "n"})",
     200, Data::object, "guid,name"},
    {"DELETE", "/api/dispatch/{id}", "$new.dispatch", "", 200, Data::none, ""},
    {"POST", "/api/dispatch/remove-shipment", "",
     R"({"dispatchId": "$dispatch", "shipmentId": "$removable"})", 200, Data::none, ""},
    {"GET", "/api/dispatch/in-shipment/{id}", "$packed", "", 200, Data::object, "guid,name,status"},
    {"GET", "/api/route/{id}", "$dispatch", "", 200, Data::object,
     "guid,dispatchId,stops[sequence,shipmentId,address,estimatedArrival,status,unlocated],totalDistance,"
     "estimatedDuration,unlocated,startUnlocated"},
    {"GET", "/api/route/timeline/{id}", "$dispatch", "", 200, Data::object,
     "routeId,events[time,type,location,status]"},
    // Business
    {"GET", "/api/business/my-business", "", "", 200, Data::object,
     "guid,name,email,phone,address{street,city,state,postalCode,country},branding,settings{timezone,"
     "currency},calendar{workdays[],holidays[]}"},
    {"POST", "/api/business", "",
     R"({"name": "Newcomers", "email": "new@example.com", "phone": "1", "address": {"city": "Lisbon"}})", 201,
     Data::object, "guid,name", Caller::newcomer},
    {"PUT", "/api/business", "",
     R"({"guid": "$business", "name": "Interface", "email": "i@example.com", "phone": "1"})", 200, Data::none,
     ""},
    {"GET", "/api/business/soft-check", "?emailAddress=i@example.com", "", 200, Data::bare, ""},
    {"GET", "/api/business/default-configuration", "", "", 200, Data::object,
     "defaultCarrier,defaultServiceLevel,defaultDimensions{length,width,height,unit},"
     "notifications{emailEnabled,pushEnabled}"},
    {"GET", "/api/business/generate-api-token", "", "", 201, Data::object, "token,createdAt,expiresAt"},
    {"GET", "/api/business/tokens", "?Page=1&PageSize=100", "", 200, Data::list,
     "guid,name,createdAt,lastUsed,status,role,expiresAt"},
    // Vehicles and tracking
    {"GET", "/api/vehicles", "", "", 200, Data::array,
     "guid,name,licensePlate,make,model,type,status,year,capacity{weight,volume},currentDriver{guid,name},"
     "tracker{guid,lastUpdate}"},
    {"POST", "/api/vehicle", "",
     R"({"name": "Car", "licensePlate": "ZZ-1", "type": "car", "make": "M", "model": "N", "year": 2020,
         "capacity": {"weight": 1, "volume": 2}})",
     201, Data::object, "guid,name,licensePlate"},
    {"PUT", "/api/vehicle", "", R"({"guid": "$vehicle", "name": "Van 1", "status": "maintenance"})", 200,
     Data::object, "guid,name"},
    {"DELETE", "/api/vehicle/{guid}", "$new.vehicle", "", 200, Data::none, ""},
    {"GET", "/api/vehicle/location/{guid}", "$vehicle ?from=2026-11-19T00:00:00Z&to=2026-11-20", "", 200,
     Data::object,
     "vehicleId,currentLocation{latitude,longitude,speed,heading,timestamp},"
     "positions[latitude,longitude,timestamp]"},
    {"GET", "/api/vehicle/travel-history/{id}", "$vehicle", "", 200, Data::array,
     "date,distanceTraveled,travelTime,startLocation,endLocation,stops,fuelUsed"},
    {"GET", "/api/tracking/devices", "", "", 200, Data::array,
     "guid,deviceId,type,status,assignedVehicle{guid,name},lastSeen,batteryLevel"},
    {"POST", "/api/tracking/add-device", "",
     R"({"deviceId": "interface:1", "type": "gps_tracker", "vehicleId": "$new.vehicle"})", 201, Data::object,
     "guid,deviceId,status"},
    // Integrations and workflows
    {"POST", "/api/integrations/provider/configure", "",
     R"({"providerId": "$woocommerce", "providerType": "ecommerce",
         "credentials": {"apiKey": "$shopKey", "apiSecret": "$shopSecret", "storeUrl": "$shopUrl"},
         "settings": {"autoImportOrders": false, "syncProducts": false, "pushTracking": false}})",
     201, Data::object, "guid,provider,status,connectedAt"},
    {"GET", "/api/integrations/provider/disable/{businessProviderId}", "$integration", "", 200, Data::object,
     "guid,status"},
    {"DELETE", "/api/integrations/providers/ecommerce/remove/{businessProviderId}", "$new.integration", "",
     200, Data::none, ""},
    {"POST", "/api/integrations/save-vapid-subscription", "",
     R"({"endpoint": "https://push.example.com/send/abc123",
         "keys": {"p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                  "auth": "BTBZMqHH6r4Tts7J_aSIgg"}})",
     200, Data::none, ""},
    {"GET", "/api/workflows/triggers/{entityType}", "Order", "", 200, Data::array,
     "guid,name,code,description"},
    {"GET", "/api/workflows/{entityType}/configured", "Order ?managed=true", "", 200, Data::array,
     "guid,name,entityType,trigger,triggerId,triggers[],timer,schedule,query,each,runWhenEmpty,action,"
     "isActive,"
     "isManaged,status,pausedReason,lastRunAt,succeeded24h,dead24h"},
    {"POST", "/api/workflows/configure", "",
     R"({"name": "Thanks", "entityType": "Order", "triggerId": "$orderCreated", "conditions": {"status": "pending"},
         "action": {"type": "send_email", "recipient": "ada@example.com", "subject": "s", "body": "b"}})",
     201, Data::object,
     "guid,name,isActive,version,firedLast7Days,action{type,recipient,template,subject,body,html,cc,bcc,"
     "replyTo}"},
    {"GET", "/api/workflows/configured/{guid}/toggle", "$workflow", "", 200, Data::object, "guid,isActive"},
    {"DELETE", "/api/workflows/configured/{guid}", "$new.workflow", "", 200, Data::none, ""},
    {"GET", "/api/workflows/resume-workflow", "?workflowId=$workflow", "", 200, Data::none, ""},
    // User sessions
    {"POST", "/api/user/login", "", R"({"email": "$account", "password": "$password"})", 200, Data::object,
     "token,expiresAt,user{guid,email,firstName,lastName,role,name}", Caller::anonymous},
    {"POST", "/api/user/register", "",
     R"({"email": "registers@example.com", "password": "$password", "confirmPassword": "$password",
         "firstName": "Ada", "lastName": "Lovelace", "acceptedTerms": true})",
     201, Data::object, "guid,email", Caller::anonymous},
    {"POST", "/api/user/verify", "", R"({"token": "$mailed"})", 200, Data::none, "", Caller::anonymous},
};

}  // namespace

std::span<const Row> rows() { return table; }

}  // namespace waybill::tests::interface
