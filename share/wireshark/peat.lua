-- Peat over Bluetooth LE for Wireshark: the document characteristic, of every kind that needs no key.
--
-- Field names and the rules they follow are those of docs/protocol.md. Where Wireshark knows the
-- characteristic's UUID it calls this through the table "bluetooth.uuid"; a post-dissector does the
-- rest: connections without discovery of their own, long writes, long reads, and handles that the
-- preference names. Encrypted frames stay closed: peat-inspect -f pcapng --include-opened puts what
-- they hold into packet comments.

local peat = Proto("peat", "Peat mesh message")
local named = Proto("peat_named", "Peat value that Wireshark names")
local post = Proto("peat_values", "Peat values that Wireshark does not name")

-- What carries documents (protocol.md 1.1).
local UUIDS = {
  ["f47a0003-58cc-4372-a567-0e02b2c3d479"] = true,
  ["a1b20003-e5f6-4a7b-8c9d-0e1f2a3b4c5d"] = true,
  ["00000003-0000-1000-8000-00805f9b34fb"] = true,
  ["f47ac10b-58cc-4372-a567-0e02b2c3d003"] = true,
  ["0000f47b-0000-1000-8000-00805f9b34fb"] = true,
}

peat.prefs.handles = Pref.string("Document handles", "",
  "Attribute handles of the document characteristic where the capture has no discovery: 0x0010, 21")

---------------------------------------------------------------------------------------------------
-- Fields

local EVENTS = {[0] = "none", "ping", "need_assist", "emergency", "moving", "in_position", "ack"}
local TYPES = {[0] = "unknown", "soldier_sensor", "fixed_sensor", "relay"}
local ACTIVITIES = {[0] = "still", "walking", "running", "vehicle or fall"}
local SECTIONS = {[0xAB] = "peripheral", [0xAC] = "emergency", [0xAD] = "chat"}
local OPERATIONS = {"increment", "peripheral", "emergency", "ack", "clear"}
local CANNED = {
  [0x00] = "ack", [0x01] = "wilco", [0x02] = "negative", [0x03] = "say again",
  [0x10] = "check in", [0x11] = "moving", [0x12] = "holding", [0x13] = "on station",
  [0x14] = "returning", [0x15] = "complete", [0x20] = "emergency", [0x21] = "alert",
  [0x22] = "all clear", [0x23] = "contact", [0x24] = "under fire", [0x30] = "need extract",
  [0x31] = "need support", [0x32] = "need medic", [0x33] = "need resupply", [0xFF] = "custom",
}

local f = {}
local function field(name, make, ...)
  f[name] = make("peat." .. name, ...)
end

field("kind", ProtoField.string, "Kind")
field("length", ProtoField.uint32, "Length of the value")
field("handle", ProtoField.uint16, "Attribute handle", base.HEX)
field("payload", ProtoField.bytes, "Value")
field("depth", ProtoField.uint8, "Wrapped so often")
field("node", ProtoField.uint32, "Node", base.HEX)
field("version", ProtoField.uint32, "Version")
field("total", ProtoField.uint64, "Sum of the counters")
field("counter.entries", ProtoField.uint32, "Counter entries")
field("counter.node", ProtoField.uint32, "Node", base.HEX)
field("counter.count", ProtoField.uint64, "Count")
field("section", ProtoField.uint8, "Section", base.HEX, SECTIONS)
field("section.length", ProtoField.uint16, "Section length")
field("peripheral.id", ProtoField.uint32, "Peripheral", base.HEX)
field("peripheral.parent", ProtoField.uint32, "Parent", base.HEX)
field("peripheral.type", ProtoField.uint8, "Type", base.DEC, TYPES)
field("callsign", ProtoField.string, "Callsign")
field("health.battery", ProtoField.uint8, "Battery %")
field("health.activity", ProtoField.uint8, "Activity", base.DEC, ACTIVITIES)
field("health.alerts", ProtoField.uint8, "Alerts", base.HEX)
field("health.alerts.man_down", ProtoField.bool, "Man down", 8, nil, 0x01)
field("health.alerts.low_battery", ProtoField.bool, "Low battery", 8, nil, 0x02)
field("health.alerts.out_of_range", ProtoField.bool, "Out of range", 8, nil, 0x04)
field("health.alerts.custom", ProtoField.bool, "Custom", 8, nil, 0x08)
field("health.heart_rate", ProtoField.uint8, "Heart rate")
field("event", ProtoField.uint8, "Event", base.DEC, EVENTS)
field("event.time", ProtoField.uint64, "Event time, ms since 1970")
field("peripheral.time", ProtoField.uint64, "Time, ms since 1970")
field("location.latitude", ProtoField.double, "Latitude")
field("location.longitude", ProtoField.double, "Longitude")
field("location.altitude", ProtoField.double, "Altitude, m")
field("location.accuracy", ProtoField.double, "Accuracy, m")
field("emergency.source", ProtoField.uint32, "Emergency of", base.HEX)
field("emergency.time", ProtoField.uint64, "Emergency time, ms since 1970")
field("emergency.ack.node", ProtoField.uint32, "Node", base.HEX)
field("emergency.ack.acked", ProtoField.bool, "Acked")
field("chat.count", ProtoField.uint16, "Chat messages")
field("chat.origin", ProtoField.uint32, "Origin", base.HEX)
field("chat.time", ProtoField.uint64, "Time, ms since 1970")
field("chat.sender", ProtoField.string, "Sender")
field("chat.text", ProtoField.string, "Text")
field("chat.flags", ProtoField.uint8, "Flags", base.HEX)
field("chat.reply.node", ProtoField.uint32, "Reply to", base.HEX)
field("chat.reply.time", ProtoField.uint64, "Reply to the time, ms since 1970")
field("frame.flags", ProtoField.uint8, "Flags", base.HEX)
field("nonce", ProtoField.bytes, "Nonce")
field("ciphertext", ProtoField.bytes, "Ciphertext")
field("tag", ProtoField.bytes, "Tag")
field("key_exchange.public", ProtoField.bytes, "Public key")
field("peer.recipient", ProtoField.uint32, "Recipient", base.HEX)
field("peer.counter", ProtoField.uint64, "Message number")
field("relay.id", ProtoField.bytes, "Message id")
field("relay.hops", ProtoField.uint8, "Hops")
field("relay.max_hops", ProtoField.uint8, "Maximum of hops")
field("relay.origin", ProtoField.uint32, "Origin", base.HEX)
field("relay.payload_length", ProtoField.uint32, "Payload length")
field("delta.origin", ProtoField.uint32, "Origin", base.HEX)
field("delta.time", ProtoField.uint64, "Created, ms since 1970")
field("delta.clock.entries", ProtoField.uint32, "Clock entries")
field("delta.clock.node", ProtoField.uint32, "Node", base.HEX)
field("delta.clock.value", ProtoField.uint64, "Value")
field("delta.operations", ProtoField.uint16, "Operations")
field("delta.op", ProtoField.uint8, "Operation", base.HEX, OPERATIONS)
field("delta.counter", ProtoField.uint8, "Counter")
field("delta.node", ProtoField.uint32, "Node", base.HEX)
field("delta.amount", ProtoField.uint64, "Amount")
field("delta.op.time", ProtoField.uint64, "Time, ms since 1970")
field("delta.peers", ProtoField.uint8, "Known peers")
field("delta.peer", ProtoField.uint32, "Peer", base.HEX)
field("delta.app.code", ProtoField.uint8, "App's operation", base.HEX)
field("delta.app.payload", ProtoField.bytes, "App's payload")
field("canned.code", ProtoField.uint8, "Message", base.HEX, CANNED)
field("canned.target", ProtoField.uint32, "Target", base.HEX)
field("canned.time", ProtoField.uint64, "Time, ms since 1970")
field("canned.sequence", ProtoField.uint32, "Sequence")
field("canned.ack.node", ProtoField.uint32, "Acknowledged by", base.HEX)
field("canned.ack.time", ProtoField.uint64, "Acknowledged, ms since 1970")
field("canned.signature", ProtoField.bytes, "Signature")
field("marker.count", ProtoField.uint16, "Markers")
field("marker.uid", ProtoField.string, "Marker")
field("marker.type", ProtoField.string, "Marker type")
field("marker.latitude", ProtoField.double, "Latitude")
field("marker.longitude", ProtoField.double, "Longitude")
field("marker.height", ProtoField.double, "Height, m")
field("marker.callsign", ProtoField.string, "Marker callsign")
field("marker.time", ProtoField.uint64, "Marker time, ms since 1970")
field("lite.type", ProtoField.uint8, "Lite frame type", base.HEX)
field("trailing", ProtoField.bytes, "Behind the end")

local fields = {}
for _, value in pairs(f) do fields[#fields + 1] = value end
peat.fields = fields

local e = {
  malformed = ProtoExpert.new("peat.malformed", "No receiver takes this", expert.group.MALFORMED,
    expert.severity.ERROR),
  cut = ProtoExpert.new("peat.cut", "A section is cut and lost", expert.group.MALFORMED,
    expert.severity.WARN),
  dropped = ProtoExpert.new("peat.dropped", "Receivers drop this", expert.group.PROTOCOL,
    expert.severity.WARN),
  collides = ProtoExpert.new("peat.collides", "The version looks like a marker",
    expert.group.PROTOCOL, expert.severity.WARN),
  trailing = ProtoExpert.new("peat.unread", "Bytes that receivers ignore", expert.group.PROTOCOL,
    expert.severity.NOTE),
  emergency = ProtoExpert.new("peat.emergency.raised", "Emergency", expert.group.RESPONSE_CODE,
    expert.severity.CHAT),
}
local experts = {}
for _, value in pairs(e) do experts[#experts + 1] = value end
peat.experts = experts

---------------------------------------------------------------------------------------------------
-- Kinds

local EARLIEST = UInt64("1577836800000")  -- 2020-01-01, before which receivers take no stamp
local LATEST = UInt64("4102444800000")  -- 2100-01-01

-- A decoder of one value: where it reads, and what it found for the column.
local Value = {}
Value.__index = Value

local function open(buffer, pinfo)
  return setmetatable({buffer = buffer, pinfo = pinfo, info = {}}, Value)
end

function Value:say(text) self.info[#self.info + 1] = text end

function Value:fault(tree, kind, text)
  tree:add_tvb_expert_info(e[kind], self.buffer:range(0, math.max(1, self.buffer:len())), text)
end

local function hex(value) return string.format("%08X", value) end

local read_value

-- Four bytes as a double, since Wireshark shows six digits of a float.
local function add_float(tree, name, range) tree:add(f[name], range, range:le_float()) end

function Value:location(tree, at, stop)
  local range = self.buffer
  if stop - at < 9 then return nil, "location is cut" end
  local flags = range(at + 8, 1):uint()
  local size = 9 + (flags % 2 == 1 and 4 or 0) + (math.floor(flags / 2) % 2 == 1 and 4 or 0)
  if stop - at < size then return nil, "location is cut" end
  local latitude, longitude = range(at, 4):le_float(), range(at + 4, 4):le_float()
  -- What is no number compares with nothing.
  if not (latitude >= -90 and latitude <= 90) then return nil, "latitude is outside -90 to 90" end
  if not (longitude >= -180 and longitude <= 180) then
    return nil, "longitude is outside -180 to 180"
  end
  local place = at + 9
  local altitude, accuracy
  if flags % 2 == 1 then
    altitude = range(place, 4)
    local metres = altitude:le_float()
    if not (metres >= -1000 and metres <= 100000) then return nil, "altitude is out of range" end
    place = place + 4
  end
  if math.floor(flags / 2) % 2 == 1 then
    accuracy = range(place, 4)
    if not (accuracy:le_float() >= 0 and accuracy:le_float() < math.huge) then
      return nil, "accuracy is out of range"
    end
  end
  add_float(tree, "location.latitude", range(at, 4))
  add_float(tree, "location.longitude", range(at + 4, 4))
  if altitude then add_float(tree, "location.altitude", altitude) end
  if accuracy then add_float(tree, "location.accuracy", accuracy) end
  return true
end

local function stamp(range, allows_zero)
  local value = range:le_uint64()
  return value >= EARLIEST or (allows_zero and value == UInt64(0))
end

local function is_utf8(bytes)
  local need = 0
  for index = 0, bytes:len() - 1 do
    local byte = bytes:get_index(index)
    if need > 0 then
      if byte < 0x80 or byte > 0xBF then return false end
      need = need - 1
    elseif byte >= 0xF0 and byte < 0xF5 then need = 3
    elseif byte >= 0xE0 and byte < 0xF0 then need = 2
    elseif byte >= 0xC2 and byte < 0xE0 then need = 1
    elseif byte >= 0x80 then return false
    end
  end
  return need == 0
end

-- Section 0xAB (protocol.md 2.3); nil and why where receivers drop it.
function Value:peripheral(tree, at, stop)
  local range = self.buffer
  if stop - at < 34 then return nil, "needs 34 bytes, " .. (stop - at) .. " present" end
  if range(at, 4):le_uint() == 0 then return nil, "peripheral id is 0" end
  local length = 0
  while length < 12 and range(at + 9 + length, 1):uint() ~= 0 do length = length + 1 end
  if length > 0 and not is_utf8(range(at + 9, length):bytes()) then
    return nil, "callsign is no UTF-8"
  end
  local battery, activity = range(at + 21, 1):uint(), range(at + 22, 1):uint()
  local heart = range(at + 24, 1):uint()
  if battery > 100 then return nil, "battery is above 100 %" end
  if activity > 3 then return nil, "activity is above 3" end
  if (heart > 0 and heart < 20) or heart > 250 then return nil, "heart rate is out of range" end
  local has_event = range(at + 25, 1):uint() ~= 0
  local place = has_event and at + 35 or at + 26
  if stop - place < 8 then return nil, "is cut in front of its time" end
  if not stamp(range(place, 8), true) then return nil, "time is before 2020" end
  tree:add_le(f["peripheral.id"], range(at, 4))
  tree:add_le(f["peripheral.parent"], range(at + 4, 4))
  tree:add(f["peripheral.type"], range(at + 8, 1))
  local callsign = length > 0 and range(at + 9, length):string() or ""
  tree:add(f["callsign"], range(at + 9, math.max(1, length)), callsign)
  tree:add(f["health.battery"], range(at + 21, 1))
  tree:add(f["health.activity"], range(at + 22, 1))
  local alerts = tree:add(f["health.alerts"], range(at + 23, 1))
  for _, name in ipairs({"man_down", "low_battery", "out_of_range", "custom"}) do
    alerts:add(f["health.alerts." .. name], range(at + 23, 1))
  end
  if heart > 0 then tree:add(f["health.heart_rate"], range(at + 24, 1)) end
  if has_event then
    if stamp(range(at + 27, 8), true) then
      tree:add(f["event"], range(at + 26, 1))
      tree:add_le(f["event.time"], range(at + 27, 8))
      local event = range(at + 26, 1):uint()
      if event > 0 and EVENTS[event] then self:say(EVENTS[event]) end
    else
      self:fault(tree, "dropped", "the event's time is before 2020: there is no event")
    end
  end
  tree:add_le(f["peripheral.time"], range(place, 8))
  place = place + 8
  if stop > place and range(place, 1):uint() ~= 0 then
    local _, reason = self:location(tree, place + 1, stop)
    if reason then self:fault(tree, "dropped", "there is no location: " .. reason) end
  end
  if callsign ~= "" then self:say(callsign) end
  return true
end

-- Section 0xAC (protocol.md 2.7).
function Value:emergency(tree, at, stop)
  local range = self.buffer
  if stop - at < 16 then return nil, "needs 16 bytes, " .. (stop - at) .. " present" end
  if range(at, 4):le_uint() == 0 then return nil, "source is 0" end
  if not stamp(range(at + 4, 8), false) then return nil, "time is before 2020" end
  local count = range(at + 12, 4):le_uint()
  if count > 256 or 16 + 5 * count > stop - at then return nil, "acks do not fit" end
  tree:add_le(f["emergency.source"], range(at, 4))
  tree:add_le(f["emergency.time"], range(at + 4, 8))
  local acked = 0
  for index = 0, count - 1 do
    local place = at + 16 + 5 * index
    if range(place, 4):le_uint() ~= 0 then
      local ack = tree:add(range(place, 5), "Ack of " .. hex(range(place, 4):le_uint()))
      ack:add_le(f["emergency.ack.node"], range(place, 4))
      ack:add(f["emergency.ack.acked"], range(place + 4, 1), range(place + 4, 1):uint() ~= 0)
      if range(place + 4, 1):uint() ~= 0 then acked = acked + 1 end
    end
  end
  local text = "EMERGENCY of " .. hex(range(at, 4):le_uint()) .. ", ACK " .. acked
  self:fault(tree, "emergency", text)
  self:say(text)
  return true
end

-- Section 0xAD (protocol.md 2.8): a bad message ends the list.
function Value:chat(tree, at, stop)
  local range = self.buffer
  if stop - at < 2 then return nil, "needs 2 bytes" end
  tree:add_le(f["chat.count"], range(at, 2))
  local place = at + 2
  for _ = 1, range(at, 2):le_uint() do
    if stop - place < 14 then break end
    local sender = range(place + 12, 1):uint()
    if range(place, 4):le_uint() == 0 or not stamp(range(place + 4, 8), false) or sender == 0
      or sender > 12 or place + 14 + sender > stop then break end
    local text = range(place + 13 + sender, 1):uint()
    local behind = place + 14 + sender + text
    if text > 128 or behind + 1 > stop then break end
    local message = tree:add(range(place, behind + 1 - place), "Chat message")
    message:add_le(f["chat.origin"], range(place, 4))
    message:add_le(f["chat.time"], range(place + 4, 8))
    message:add(f["chat.sender"], range(place + 13, sender))
    if text > 0 then message:add(f["chat.text"], range(place + 14 + sender, text)) end
    message:add(f["chat.flags"], range(behind, 1))
    place = behind + 1
    if stop - place >= 12 then
      if range(place, 4):le_uint() ~= 0 then
        message:add_le(f["chat.reply.node"], range(place, 4))
        message:add_le(f["chat.reply.time"], range(place + 4, 8))
      end
      place = place + 12
    end
  end
  return true
end

local sections = {[0xAB] = Value.peripheral, [0xAC] = Value.emergency, [0xAD] = Value.chat}

-- Why nobody takes the bytes for a document (protocol.md 2.1); nil where somebody does.
local function refusal(buffer)
  local length = buffer:len()
  if length < 12 then return "a document needs 12 bytes, " .. length .. " present" end
  local entries = buffer(8, 4):le_uint()
  if entries > 256 then return "counter claims " .. entries .. " entries, at most 256" end
  if 12 + 12 * entries > length then
    return "counter claims " .. entries .. " entries, " .. (length - 12) .. " bytes left"
  end
end

-- Where the last whole section of each kind begins: it counts (protocol.md 2.1).
function Value:last_sections(at)
  local range, length, last = self.buffer, self.buffer:len(), {}
  while length - at >= 4 and SECTIONS[range(at, 1):uint()] do
    local size = range(at + 2, 2):le_uint()
    if at + 4 + size > length then break end
    last[range(at, 1):uint()] = at
    at = at + 4 + size
  end
  return last
end

function Value:document(tree)
  local range, length = self.buffer, self.buffer:len()
  tree:add_le(f["version"], range(0, 4))
  tree:add_le(f["node"], range(4, 4))
  self:say("node " .. hex(range(4, 4):le_uint()) .. " version " .. range(0, 4):le_uint())
  local entries = range(8, 4):le_uint()
  local list = tree:add_le(f["counter.entries"], range(8, 4))
  -- A node that comes twice: the last entry counts.
  local counts, order = {}, {}
  for index = 0, entries - 1 do
    local place = 12 + 12 * index
    local node = range(place, 4):le_uint()
    if node ~= 0 then
      if not counts[node] then order[#order + 1] = node end
      counts[node] = range(place + 4, 8):le_uint64()
      local entry = list:add(range(place, 12), "Counter of " .. hex(node))
      entry:add_le(f["counter.node"], range(place, 4))
      entry:add_le(f["counter.count"], range(place + 4, 8))
    else
      self:fault(list, "dropped", "an entry of node 0 is passed over")
    end
  end
  local total = UInt64(0)
  for _, node in ipairs(order) do total = total + counts[node] end
  tree:add(f["total"], range(8, 4), total):set_generated()
  local at = 12 + 12 * entries
  local last = self:last_sections(at)
  while at < length do
    local marker = range(at, 1):uint()
    if not SECTIONS[marker] then
      self:fault(tree, "trailing", string.format("no section begins with %02X", marker))
      break
    end
    if length - at < 4 then
      self:fault(tree, "cut", SECTIONS[marker] .. " section is cut in its header")
      break
    end
    local size = range(at + 2, 2):le_uint()
    if at + 4 + size > length then
      self:fault(tree, "cut", SECTIONS[marker] .. " section claims " .. size .. " bytes, "
        .. (length - at - 4) .. " left")
      break
    end
    local section = tree:add(f["section"], range(at, 1))
    section:add_le(f["section.length"], range(at + 2, 2))
    local reason = "a later one of its kind counts"
    if last[marker] == at then
      reason = select(2, sections[marker](self, section, at + 4, at + 4 + size))
    end
    if reason then
      self:fault(section, "dropped", SECTIONS[marker] .. " section is dropped: " .. reason)
    end
    at = at + 4 + size
  end
  if at < length then tree:add(f["trailing"], range(at)) end
  return "document"
end

-- 0xAE (protocol.md 6.1).
function Value:encrypted(tree)
  local range, length = self.buffer, self.buffer:len()
  if length < 30 then return nil, "an encrypted frame needs 30 bytes, " .. length .. " present" end
  tree:add(f["frame.flags"], range(1, 1))
  tree:add(f["nonce"], range(2, 12))
  if length > 30 then tree:add(f["ciphertext"], range(14, length - 30)) end
  tree:add(f["tag"], range(length - 16, 16))
  return "encrypted"
end

-- 0xB0 (protocol.md 6.2).
function Value:key_exchange(tree)
  local range, length = self.buffer, self.buffer:len()
  if length < 39 then return nil, "a key exchange needs 39 bytes, " .. length .. " present" end
  tree:add_le(f["node"], range(2, 4))
  tree:add(f["frame.flags"], range(6, 1))
  tree:add(f["key_exchange.public"], range(7, 32))
  self:say("node " .. hex(range(2, 4):le_uint()))
  return "key_exchange"
end

-- 0xAF between two nodes (protocol.md 6.3).
function Value:peer_encrypted(tree)
  local range, length = self.buffer, self.buffer:len()
  if length < 46 then return nil, "a message between two nodes needs 46 bytes" end
  tree:add_le(f["peer.recipient"], range(2, 4))
  tree:add_le(f["node"], range(6, 4))
  tree:add_le(f["peer.counter"], range(10, 8))
  tree:add(f["nonce"], range(18, 12))
  if length > 46 then tree:add(f["ciphertext"], range(30, length - 46)) end
  tree:add(f["tag"], range(length - 16, 16))
  self:say("node " .. hex(range(6, 4):le_uint()) .. " to " .. hex(range(2, 4):le_uint()))
  return "peer_encrypted"
end

local function acks(buffer)
  local length = buffer:len()
  if length < 24 then return nil end
  local count = buffer(22, 2):le_uint()
  return count <= 64 and length == 24 + 12 * count and count or nil
end

local function is_canned(buffer)
  local length = buffer:len()
  if length < 22 or not CANNED[buffer(1, 1):uint()] then return false end
  local time = buffer(10, 8):le_uint64()
  return (length == 22 or length == 86 or acks(buffer) ~= nil) and buffer(2, 4):le_uint() ~= 0
    and time >= EARLIEST and time < LATEST
end

-- 0xAF of an app (protocol.md 7.5).
function Value:canned(tree)
  local range, length = self.buffer, self.buffer:len()
  if length < 22 then return nil, "a canned message needs 22 bytes, " .. length .. " present" end
  local code = range(1, 1):uint()
  if not CANNED[code] then return nil, string.format("no canned message %02X", code) end
  tree:add(f["canned.code"], range(1, 1))
  tree:add_le(f["node"], range(2, 4))
  tree:add_le(f["canned.target"], range(6, 4))
  tree:add_le(f["canned.time"], range(10, 8))
  tree:add_le(f["canned.sequence"], range(18, 4))
  if length == 86 then
    tree:add(f["canned.signature"], range(22, 64))
  else
    for index = 0, (acks(range) or 0) - 1 do
      tree:add_le(f["canned.ack.node"], range(24 + 12 * index, 4))
      tree:add_le(f["canned.ack.time"], range(28 + 12 * index, 8))
    end
  end
  self:say("node " .. hex(range(2, 4):le_uint()) .. " " .. CANNED[code])
  return "canned"
end

-- 0xB1 (protocol.md 7.1).
function Value:relay(tree, depth)
  local range, length = self.buffer, self.buffer:len()
  if length < 28 then return nil, "a relay envelope needs 28 bytes, " .. length .. " present" end
  local size = range(24, 4):le_uint()
  if 28 + size > length then
    return nil, "relay payload claims " .. size .. " bytes, " .. (length - 28) .. " left"
  end
  tree:add(f["frame.flags"], range(1, 1))
  tree:add(f["relay.id"], range(2, 16))
  tree:add(f["relay.hops"], range(18, 1))
  tree:add(f["relay.max_hops"], range(19, 1))
  tree:add_le(f["relay.origin"], range(20, 4))
  tree:add_le(f["relay.payload_length"], range(24, 4))
  self:say("from " .. hex(range(20, 4):le_uint()) .. " after " .. range(18, 1):uint() .. " hops")
  if size > 0 and depth < 8 then
    read_value(range(28, size):tvb(), self.pinfo, tree, depth + 1, self)
  end
  return "relay"
end

local function operation_size(range, at, stop)
  local op, left = range(at, 1):uint(), stop - at
  local size
  if op == 1 then size = 22
  elseif op == 2 then size = left >= 11 and 11 + range(at + 9, 2):le_uint() or nil
  elseif op == 3 then size = left >= 14 and 14 + 4 * range(at + 13, 1):uint() or nil
  elseif op == 4 then size = 13
  elseif op == 5 then size = 9
  elseif op >= 0x10 and op <= 0x1F then
    size = left >= 16 and 16 + range(at + 14, 2):le_uint() or nil
  end
  return size and size <= left and size or nil
end

local operations = {
  function(_, tree, range, at)
    tree:add(f["delta.counter"], range(at + 1, 1))
    tree:add_le(f["delta.node"], range(at + 2, 4))
    tree:add_le(f["delta.amount"], range(at + 6, 8))
    tree:add_le(f["delta.op.time"], range(at + 14, 8))
  end,
  function(self, tree, range, at, size)
    tree:add_le(f["delta.op.time"], range(at + 1, 8))
    return self:peripheral(tree, at + 11, at + size)
  end,
  function(_, tree, range, at)
    tree:add_le(f["emergency.source"], range(at + 1, 4))
    tree:add_le(f["emergency.time"], range(at + 5, 8))
    tree:add(f["delta.peers"], range(at + 13, 1))
    for index = 0, range(at + 13, 1):uint() - 1 do
      tree:add_le(f["delta.peer"], range(at + 14 + 4 * index, 4))
    end
  end,
  function(_, tree, range, at)
    tree:add_le(f["delta.node"], range(at + 1, 4))
    tree:add_le(f["emergency.time"], range(at + 5, 8))
  end,
  function(_, tree, range, at) tree:add_le(f["emergency.time"], range(at + 1, 8)) end,
}

-- 0xB2 (protocol.md 7.3).
function Value:delta(tree)
  local range, length = self.buffer, self.buffer:len()
  if length < 16 then return nil, "a delta needs 16 bytes, " .. length .. " present" end
  local flags, at = range(1, 1):uint(), 14
  local clock = 0
  if flags % 2 == 1 then
    clock = length >= 18 and range(14, 4):le_uint() or -1
    if clock < 0 or 18 + 12 * clock + 2 > length then return nil, "the clock is cut" end
    at = 18 + 12 * clock
  end
  local count, place = range(at, 2):le_uint(), at + 2
  for _ = 1, count do
    local size = place < length and operation_size(range, place, length)
    if not size then return nil, "an operation is cut or unknown" end
    place = place + size
  end
  tree:add(f["frame.flags"], range(1, 1))
  tree:add_le(f["node"], range(2, 4))
  tree:add_le(f["delta.origin"], range(2, 4))
  tree:add_le(f["delta.time"], range(6, 8))
  if flags % 2 == 1 then
    local list = tree:add_le(f["delta.clock.entries"], range(14, 4))
    for index = 0, clock - 1 do
      list:add_le(f["delta.clock.node"], range(18 + 12 * index, 4))
      list:add_le(f["delta.clock.value"], range(22 + 12 * index, 8))
    end
  end
  tree:add_le(f["delta.operations"], range(at, 2))
  self:say("node " .. hex(range(2, 4):le_uint()) .. ", " .. count .. " operations")
  place = at + 2
  for _ = 1, count do
    local op, size = range(place, 1):uint(), operation_size(range, place, length)
    local item = tree:add(f["delta.op"], range(place, 1))
    if operations[op] then
      local _, reason = operations[op](self, item, range, place, size)
      if reason then self:fault(item, "malformed", "peripheral: " .. reason) end
    else
      item:add(f["delta.app.code"], range(place + 1, 1))
      item:add_le(f["delta.node"], range(place + 2, 4))
      item:add_le(f["delta.op.time"], range(place + 6, 8))
      if size > 16 then item:add(f["delta.app.payload"], range(place + 16, size - 16)) end
    end
    place = place + size
  end
  if place < length then tree:add(f["trailing"], range(place)) end
  return "delta"
end

-- 0xAC at the front (protocol.md 7.7): a bad marker ends the list.
function Value:markers(tree)
  local range, length = self.buffer, self.buffer:len()
  if length < 7 then return nil, "a list of markers needs 7 bytes, " .. length .. " present" end
  tree:add_le(f["node"], range(1, 4))
  tree:add_le(f["marker.count"], range(5, 2))
  local at = 7
  local function text(most)
    local size = at < length and range(at, 1):uint() or nil
    if not size or size > most or at + 1 + size > length then return nil end
    local found = {place = at + 1, size = size}
    at = at + 1 + size
    return found
  end
  local function add(name, found, item)
    if found.size > 0 then item:add(f[name], range(found.place, found.size)) end
  end
  for _ = 1, range(5, 2):le_uint() do
    local start = at
    local uid = text(36)
    local kind = uid and text(12)
    if not kind or at + 12 > length then break end
    local place = at
    at = at + 12
    local callsign = text(16)
    if not callsign or at + 8 > length then break end
    local item = tree:add(range(start, at + 8 - start), "Marker")
    add("marker.uid", uid, item)
    add("marker.type", kind, item)
    add_float(item, "marker.latitude", range(place, 4))
    add_float(item, "marker.longitude", range(place + 4, 4))
    add_float(item, "marker.height", range(place + 8, 4))
    add("marker.callsign", callsign, item)
    item:add_le(f["marker.time"], range(at, 8))
    at = at + 8
  end
  self:say("node " .. hex(range(1, 4):le_uint()))
  return "markers"
end

-- 0xAD at the front (protocol.md 7.7).
function Value:chat_frame(tree)
  local range, length = self.buffer, self.buffer:len()
  if length < 16 then return nil, "a chat frame needs 16 bytes, " .. length .. " present" end
  local sender = range(14, 1):uint()
  if 16 + sender > length then return nil, "the sender is cut" end
  local text = range(15 + sender, 1):uint()
  if 16 + sender + text > length then return nil, "the text is cut" end
  tree:add(f["chat.flags"], range(1, 1))
  tree:add_le(f["node"], range(2, 4))
  tree:add_le(f["chat.origin"], range(2, 4))
  tree:add_le(f["chat.time"], range(6, 8))
  if sender > 0 then tree:add(f["chat.sender"], range(15, sender)) end
  if text > 0 then tree:add(f["chat.text"], range(16 + sender, text)) end
  local at = 16 + sender + text
  if length - at >= 4 then tree:add_le(f["chat.reply.node"], range(at, 4)) end
  if length - at >= 12 then tree:add_le(f["chat.reply.time"], range(at + 4, 8)) end
  self:say("node " .. hex(range(2, 4):le_uint()))
  return "chat"
end

-- "PEAT" (protocol.md 7.6).
function Value:lite(tree)
  tree:add(f["lite.type"], self.buffer(5, 1))
  tree:add_le(f["node"], self.buffer(8, 4))
  return "lite"
end

function Value:peer_or_canned(tree)
  local range, length = self.buffer, self.buffer:len()
  if length >= 46 and not is_canned(range) then return self:peer_encrypted(tree) end
  if length > 1 and range(1, 1):uint() == 0 and length ~= 22 and length ~= 86
    and not acks(range) then
    return self:peer_encrypted(tree)
  end
  return self:canned(tree)
end

local frames = {
  [0xAC] = Value.markers, [0xAD] = Value.chat_frame, [0xAE] = Value.encrypted,
  [0xAF] = Value.peer_or_canned, [0xB0] = Value.key_exchange, [0xB1] = Value.relay,
  [0xB2] = Value.delta,
}

-- The kind of a value (protocol.md 2.9), or nil and why nobody takes it.
function Value:read(tree, depth)
  local range, length = self.buffer, self.buffer:len()
  local marked = length > 0 and frames[range(0, 1):uint()] or nil
  if length == 4 and depth == 0 then
    tree:add_le(f["node"], range(0, 4))
    self:say("node " .. hex(range(0, 4):le_uint()))
    return "node_id"
  end
  if not marked then
    local reason = refusal(range)
    if not reason then return self:document(tree) end
    if length >= 16 and range(0, 4):string() == "PEAT" then return self:lite(tree) end
    return nil, reason
  end
  if not refusal(range) then
    local stop = 12 + 12 * range(8, 4):le_uint()
    if stop == length or SECTIONS[range(stop, 1):uint()] then
      self:fault(tree, "collides", "a document whose version looks like a marker to receivers")
      return self:document(tree)
    end
  end
  return marked(self, tree, depth)
end

-- Reads a value; what wraps it goes on with its words.
read_value = function(buffer, pinfo, tree, depth, parent)
  local value = open(buffer, pinfo)
  local length = buffer:len()
  local item = tree:add(peat, buffer:range(0, length))
  if length > 0 then item:add(f["payload"], buffer:range(0, length)):set_hidden() end
  local kind, reason
  if length == 0 then
    kind, reason = nil, "the value is empty"
  else
    kind, reason = value:read(item, depth)
  end
  kind = kind or "malformed"
  if reason then
    if length > 0 then
      value:fault(item, "malformed", reason)
    else
      item:add_proto_expert_info(e.malformed, reason)
    end
  end
  item:add(f["kind"], buffer:range(0, length), kind):set_generated()
  item:add(f["length"], buffer:range(0, length), length):set_generated()
  if depth > 0 then item:add(f["depth"], buffer:range(0, length), depth):set_generated() end
  local text = kind .. (#value.info > 0 and ": " .. table.concat(value.info, ", ") or "")
  item:append_text(", " .. text)
  if parent then parent:say(text) end
  return item, text
end

---------------------------------------------------------------------------------------------------
-- Values that Wireshark names

local fields_of = {}
for _, name in ipairs({
  "btl2cap.length", "btl2cap.cid", "bthci_acl.chandle", "hci_mon.adapter_id", "btle.access_address",
  "btle.data_header.sequence_number", "btle.crc.incorrect", "btle_rf.flags.crc_valid",
  "bthci_acl.src.bd_addr", "bthci_acl.dst.bd_addr", "bthci_evt.code", "bthci_evt.connection_handle",
  "bthci_evt.le_meta_subevent", "frame.interface_id", "btle.data_header", "btle.data_header.length", "btle.data_header.llid",
  "btle.link_layer_data.access_address", "btle.link_layer_data.crc_init",
}) do
  local ok, made = pcall(Field.new, name)
  if ok then fields_of[name] = made end
end

local function first(name)
  local get = fields_of[name]
  local info = get and get()
  return info and info.value
end

-- An address as it is shown: its value is none of Lua's in every release.
local function shown(name)
  local get = fields_of[name]
  local info = get and get()
  return info and info.display
end

local function is_there(name)
  local get = fields_of[name]
  return get ~= nil and get() ~= nil
end

local opcode_field = Field.new("btatt.opcode")
local handle_field = Field.new("btatt.handle")
-- Who sends, and to whom; empty where the capture does not tell.
local sides
local function show(buffer, pinfo, tree, handle)
  local item, text = read_value(buffer, pinfo, tree, 0)
  if handle then
    item:add(f["handle"], buffer:range(0, buffer:len()), handle):set_generated()
  end
  pinfo.cols.protocol = "Peat"
  pinfo.cols.info = "Peat " .. text
end

-- For who names it: Decode As, and other scripts.
function peat.dissector(buffer, pinfo, tree)
  show(buffer:range():tvb(), pinfo, tree)
  return buffer:len()
end

-- What Wireshark takes for the document characteristic, in this dissection. The post-dissector
-- shows it where no discovery of the server was seen: Wireshark takes one device's handles for
-- those of another one, and calls for broken packets from the air as well.
local by_name

function named.dissector(buffer, pinfo)
  by_name = {frame = pinfo.number, bytes = buffer:range():bytes()}
  return buffer:len()
end

-- Opcodes with whole values.
local WHOLE = {[0x12] = true, [0x52] = true, [0xD2] = true, [0x1B] = true, [0x1D] = true}

local by_uuid = DissectorTable.get("bluetooth.uuid")
for uuid in pairs(UUIDS) do
  by_uuid:add(uuid, named)
  local short = uuid:match("^0000(%x%x%x%x)%-0000%-1000%-8000%-00805f9b34fb$")
  if short then by_uuid:add(short, named) end
end

---------------------------------------------------------------------------------------------------
-- Values that it does not

-- What is known, from the first reading of the packets, in their order.
local connections, servers, found

function post.init()
  connections, servers, found = {}, {}, {}
end

local function preferred(handle)
  for word in peat.prefs.handles:gmatch("[%w]+") do
    if tonumber(word) == handle then return true end
  end
  return false
end

local function connection(key)
  local known = connections[key]
  if not known then
    known = {documents = {}, prepared = {}, reads = {}, mtu = 23, asked = {}, numbers = {}, joining = {}}
    connections[key] = known
  end
  return known
end

local function uuid_text(bytes)
  local text = ""
  for index = bytes:len() - 1, 0, -1 do text = text .. string.format("%02x", bytes:get_index(index)) end
  if #text == 4 then text = "0000" .. text .. "00001000800000805f9b34fb" end
  return text:sub(1, 8) .. "-" .. text:sub(9, 12) .. "-" .. text:sub(13, 16) .. "-"
    .. text:sub(17, 20) .. "-" .. text:sub(21)
end

local function join(parts)
  local whole = ByteArray.new()
  for _, part in ipairs(parts) do whole = whole .. part end
  return whole
end

-- One unit of the attribute protocol; values that are whole go to `give`.
local function unit(att, link, side, peer, give)
  local length = att:len()
  if length < 1 then return end
  local opcode = att(0, 1):uint()
  local server = (opcode % 2 == 1 and opcode ~= 0x1E) and side or peer
  if opcode == 0x1E then server = peer end
  local function is_document(handle)
    return link.documents[server .. handle] or (servers[server] or {})[handle] or preferred(handle)
  end
  local function bytes(at) return at < length and att(at):bytes() or ByteArray.new() end
  local reading = link.reads[server]
  local function finish()
    if reading and reading.parts and is_document(reading.handle) then
      give(join(reading.parts), reading.handle, "read")
    end
    link.reads[server] = nil
  end
  if opcode == 0x02 or opcode == 0x03 then
    if length >= 3 then
      local mtu = att(1, 2):le_uint()
      if opcode == 0x02 then link.asked.mtu = mtu
      else link.mtu = math.max(23, math.min(mtu, link.asked.mtu or mtu)) end
    end
  elseif opcode == 0x08 and length >= 7 then
    link.asked[server] = length == 7 and att(5, 2):le_uint() or 0
  elseif opcode == 0x09 and link.asked[server] == 0x2803 and length >= 2 then
    local size = att(1, 1):uint()
    if size == 7 or size == 21 then
      for at = 2, length - size, size do
        local handle = att(at + 3, 2):le_uint()
        local is = UUIDS[uuid_text(att(at + 5, size - 5):bytes())] or nil
        link.documents[server .. handle] = is
        servers[server] = servers[server] or {}
        servers[server][handle] = is
      end
    end
  elseif opcode == 0x0A or opcode == 0x0C then
    if length >= 3 then
      local handle = att(1, 2):le_uint()
      if opcode == 0x0C and reading and reading.handle == handle then
        reading.offset = length >= 5 and att(3, 2):le_uint() or 0
      else
        finish()
        link.reads[server] = {handle = handle, offset = 0, from = opcode == 0x0C}
      end
    end
  elseif opcode == 0x0B or opcode == 0x0D then
    if reading and not reading.from then
      reading.parts = reading.parts or {}
      reading.parts[#reading.parts + 1] = bytes(1)
      if length < link.mtu then finish() end
    end
  elseif opcode == 0x01 and length >= 2 then
    local asked = att(1, 1):uint()
    if asked == 0x0C or asked == 0x0A then finish() end
  elseif WHOLE[opcode] and length >= 3 then
    local handle = att(1, 2):le_uint()
    local stop = opcode == 0xD2 and length - 12 or length
    if opcode < 0x1B and opcode ~= 0x52 and reading then finish() end
    -- Without directions the other side's configuration may lie on the same handle.
    local is_setting = side == "" and opcode == 0x12 and length == 5 and att(3, 1):uint() < 4
      and att(4, 1):uint() == 0
    if is_document(handle) and stop >= 3 and not is_setting then
      give(stop > 3 and att(3, stop - 3):bytes() or ByteArray.new(), handle, "whole")
    end
  elseif opcode == 0x16 and length >= 5 then
    local handle, offset = att(1, 2):le_uint(), att(3, 2):le_uint()
    local parts = link.prepared[handle]
    if not parts or offset == 0 then
      parts = {size = 0}
      link.prepared[handle] = parts
    end
    if offset == parts.size then
      parts[#parts + 1] = bytes(5)
      parts.size = parts.size + length - 5
    else
      parts.broken = true
    end
  elseif opcode == 0x18 then
    for handle, parts in pairs(link.prepared) do
      if length >= 2 and att(1, 1):uint() == 1 and not parts.broken and is_document(handle) then
        give(join(parts), handle, "long write")
      end
    end
    link.prepared = {}
  end
end

sides = function(pinfo)
  local source, target = shown("bthci_acl.src.bd_addr"), shown("bthci_acl.dst.bd_addr")
  if source and target and (pinfo.p2p_dir == 0 or pinfo.p2p_dir == 1) then
    return source, target
  end
  source, target = tostring(pinfo.src), tostring(pinfo.dst)
  if first("btle.access_address") and source ~= target then return source, target end
  return "", ""
end

-- A packet from the air that was sent again has the number of the one before it, and its bytes.
local function is_repeat(link, side, bytes)
  local number = first("btle.data_header.sequence_number")
  if number == nil then return false end
  -- Where nothing tells the sides apart, an empty packet of the other one may lie between.
  if side == "" and bytes == "" then return false end
  local before = link.numbers[side]
  link.numbers[side] = {number = number, bytes = bytes}
  return before ~= nil and before.number == number and before.bytes == bytes
end

local bits = bit or bit32

-- Whether the check of a packet from the air fails, by the start value of its connection: some
-- sniffers call every packet valid (Core Specification Vol 6 Part B, 3.1.1).
local function is_broken(link)
  if is_there("btle.crc.incorrect") or first("btle_rf.flags.crc_valid") == false then return true end
  local header, size = fields_of["btle.data_header"](), first("btle.data_header.length")
  if not (header and size and link.crc_init and bits) then return false end
  local source, start = header.source, header.offset
  if start + 2 + size + 3 > source:len() then return false end
  local check = 0
  for place = 0, 23 do
    if bits.band(bits.rshift(link.crc_init, place), 1) == 1 then
      check = bits.bor(check, bits.lshift(1, 23 - place))
    end
  end
  for place = start, start + 1 + size do
    local byte = source:range(place, 1):uint()
    for _ = 1, 8 do
      local is_set = bits.band(bits.bxor(check, byte), 1) == 1
      check, byte = bits.rshift(check, 1), bits.rshift(byte, 1)
      if is_set then check = bits.bxor(check, 0xDA6000) end
    end
  end
  return check ~= source:range(start + 2 + size, 3):le_uint()
end

-- The unit that a packet from the air completes, without the L2CAP header; fragments are joined
-- here, as Wireshark joins broken ones too.
local function air_packet(link, side)
  local header, size = fields_of["btle.data_header"](), first("btle.data_header.length")
  local kind = first("btle.data_header.llid")
  if not (header and size and kind) or is_broken(link) then return nil end
  local source, start = header.source, header.offset + 2
  if start + size > source:len() then return nil end
  local bytes = size > 0 and source:range(start, size):bytes() or ByteArray.new()
  if is_repeat(link, side, tostring(bytes)) or size == 0 then return nil end
  if kind == 2 then
    link.joining[side] = bytes
  elseif kind == 1 and link.joining[side] then
    link.joining[side] = link.joining[side] .. bytes
  else
    return nil
  end
  local whole = link.joining[side]
  if whole:len() < 4 then return nil end
  local length = whole:get_index(0) + 256 * whole:get_index(1)
  if whole:len() < 4 + length then return nil end
  link.joining[side] = nil
  if length == 0 or whole:get_index(2) ~= 4 or whole:get_index(3) ~= 0 then return nil end
  return whole:subset(4, length)
end

local function learn(pinfo)
  local event = first("bthci_evt.code")
  if event then
    local handle = first("bthci_evt.connection_handle")
    local kind = first("bthci_evt.le_meta_subevent")
    if handle and (event == 0x05 or (event == 0x3E and (kind == 0x01 or kind == 0x0A or kind == 0x29)))
    then
      connections[tostring(first("frame.interface_id")) .. "/"
        .. tostring(first("hci_mon.adapter_id")) .. "/" .. tostring(handle)] = nil
    end
    return
  end
  local address = first("btle.access_address")
  local place = tostring(first("frame.interface_id")) .. "/"
    .. tostring(first("hci_mon.adapter_id")) .. "/"
  if address == 0x8E89BED6 then
    local new, init = first("btle.link_layer_data.access_address"), first("btle.link_layer_data.crc_init")
    if new and init then
      connections[place .. tostring(new)] = nil
      connection(place .. tostring(new)).crc_init = init
    end
    return
  end
  local key = place .. tostring(address or first("bthci_acl.chandle"))
  local side, peer = sides(pinfo)
  local link = connection(key)
  local function give(bytes, handle, how)
    found[pinfo.number] = found[pinfo.number] or {}
    table.insert(found[pinfo.number], {bytes = bytes, handle = handle, how = how})
  end
  if address then
    local whole = air_packet(link, side)
    if whole then unit(whole:tvb("Peat ATT"), link, side, peer, give) end
    return
  end
  local opcodes, lengths = {opcode_field()}, {fields_of["btl2cap.length"]()}
  for index, opcode in ipairs(opcodes) do
    local length = lengths[index] and lengths[index].value
    local source = opcode.source
    local left = source:len() - opcode.offset
    local att = source:range(opcode.offset, math.min(length or left, left))
    unit(att:tvb(), link, side, peer, give)
  end
end

function post.dissector(_, pinfo, tree)
  if not pinfo.visited then learn(pinfo) end
  local name = by_name
  by_name = nil
  local values = found[pinfo.number] or {}
  for _, value in ipairs(values) do
    if value.bytes:len() > 0 then
      show(value.bytes:tvb("Peat " .. value.how), pinfo, tree, value.handle)
    end
  end
  if not name or name.frame ~= pinfo.number or name.bytes:len() == 0 or #values > 0 then return end
  local opcode, handle = opcode_field(), handle_field()
  if not opcode or not WHOLE[opcode.value] or is_there("btle.access_address") then return end
  -- Of a server whose discovery was seen, it is known what its handles are.
  local side, peer = sides(pinfo)
  if side == "" or not servers[opcode.value % 2 == 1 and side or peer] then
    show(name.bytes:tvb("Peat value"), pinfo, tree, handle and handle.value)
  end
end

register_postdissector(post)
