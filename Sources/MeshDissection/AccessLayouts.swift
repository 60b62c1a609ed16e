/// The layouts of access messages by opcode; nil for those that are shown as hexadecimal digits.
enum AccessLayouts {
  private static let onOff = ["off", "on"]
  private static let enabled = ["disabled", "enabled", "not supported"]
  private static let change: [ParameterPart] = [
    .u8("tid"), .optional, .transition("transition"), .delay,
  ]

  static func parts(of opcode: UInt32) -> [ParameterPart]? {
    switch opcode {
    case 0x0000...0x00FF: small(opcode)
    case 0x8000...0x804E: configuration(opcode)
    case 0x804F...0x8071: remote(opcode)
    case 0x8201...0x8242: generic(opcode)
    default: nil
    }
  }

  private static func small(_ opcode: UInt32) -> [ParameterPart]? {
    switch opcode {
    case 0x00, 0x01: [.netAppIndex, .key]
    case 0x02: [.composition]
    case 0x03:
      [
        .address("element"), .address("publish_address"), .appIndex, .u8("ttl"), .period,
        .publicationRetransmit, .model,
      ]
    case 0x04, 0x05: [.u8("test_id"), .u16("company"), .faults]
    case 0x06: [.status] + heartbeatPublication
    case 0x40, 0x41, 0x42: [.i32("latitude"), .i32("longitude"), .i16("altitude")]
    default: nil
    }
  }

  private static let heartbeatPublication: [ParameterPart] = [
    .address("destination"), .u8("count_log"), .u8("period_log"), .u8("ttl"), .features, .netIndex,
  ]

  private static func configuration(_ opcode: UInt32) -> [ParameterPart]? {
    switch opcode {
    case 0x8000: [.netAppIndex]
    case 0x8001: [.netIndex]
    case 0x8002: [.status, .netIndex, .appIndexes]
    case 0x8003: [.status, .netAppIndex]
    case 0x8004, 0x8009, 0x800C, 0x800F, 0x8012, 0x8023, 0x8026, 0x8034, 0x8038, 0x803A, 0x8042,
      0x8049, 0x804A:
      []
    case 0x8005, 0x8006, 0x8007: [.u8("attention_seconds")]
    case 0x8008: [.u8("page")]
    case 0x800A, 0x800B: [.choice("beacon", enabled)]
    case 0x800D, 0x800E: [.u8("ttl")]
    case 0x8010, 0x8011: [.choice("friend", enabled)]
    case 0x8013, 0x8014: [.choice("gatt_proxy", enabled)]
    case 0x8015: [.netIndex]
    case 0x8016: [.netIndex, .u8("transition")]
    case 0x8017: [.status, .netIndex, .u8("phase")]
    case 0x8018: [.address("element"), .model]
    case 0x8019:
      [
        .status, .address("element"), .address("publish_address"), .appIndex, .u8("ttl"), .period,
        .publicationRetransmit, .model,
      ]
    case 0x801A:
      [
        .address("element"), .label, .appIndex, .u8("ttl"), .period, .publicationRetransmit,
        .model,
      ]
    case 0x801B, 0x801C, 0x801E: [.address("element"), .address("address"), .model]
    case 0x801D: [.address("element"), .model]
    case 0x801F: [.status, .address("element"), .address("address"), .model]
    case 0x8020, 0x8021, 0x8022: [.address("element"), .label, .model]
    case 0x8024, 0x8025: [.networkRetransmit]
    case 0x8027, 0x8028: [.choice("relay", enabled), .networkRetransmit]
    case 0x8029, 0x802B, 0x804B, 0x804D: [.address("element"), .model]
    case 0x802A: [.status, .address("element"), .u16("model"), .addresses]
    case 0x802C: [.status, .address("element"), .u16("company"), .u16("model"), .addresses]
    case 0x802D: [.address("low_power_node")]
    case 0x802E: [.address("low_power_node"), .u24("poll_timeout")]
    case 0x802F, 0x8030, 0x8031: [.u16("company")]
    case 0x8032, 0x8033: [.u8("test_id"), .u16("company")]
    case 0x8035, 0x8036, 0x8037: [.u8("fast_period_divisor")]
    case 0x8039: heartbeatPublication
    case 0x803B: [.address("source"), .address("destination"), .u8("period_log")]
    case 0x803C:
      [
        .status, .address("source"), .address("destination"), .u8("period_log"), .u8("count_log"),
        .u8("min_hops"), .u8("max_hops"),
      ]
    case 0x803D, 0x803F: [.address("element"), .appIndex, .model]
    case 0x803E: [.status, .address("element"), .appIndex, .model]
    case 0x8040, 0x8045: [.netIndex, .key]
    case 0x8041: [.netIndex]
    case 0x8043: [.netIndexes]
    case 0x8044: [.status, .netIndex]
    case 0x8046: [.netIndex]
    case 0x8047: [.netIndex, .choice("identity", ["stopped", "running", "not supported"])]
    case 0x8048:
      [.status, .netIndex, .choice("identity", ["stopped", "running", "not supported"])]
    case 0x804C: [.status, .address("element"), .u16("model"), .appIndexes]
    case 0x804E: [.status, .address("element"), .u16("company"), .u16("model"), .appIndexes]
    default: nil
    }
  }

  private static func remote(_ opcode: UInt32) -> [ParameterPart]? {
    switch opcode {
    case 0x804F, 0x8051, 0x8053, 0x8058, 0x8060, 0x8063, 0x806C, 0x806F: []
    case 0x8050: [.u8("max_items"), .u8("active_scan")]
    case 0x8052: [.u8("items_limit"), .u8("timeout"), .optional, .uuid]
    case 0x8054: [.u8("status"), .u8("scanning"), .u8("items_limit"), .u8("timeout")]
    case 0x8055: [.u8("rssi"), .uuid, .u16("oob"), .optional, .rest("uri_hash")]
    case 0x8059: [.uuid, .optional, .u8("timeout")]
    case 0x805A: [.u8("reason")]
    case 0x805B: [.u8("status"), .u8("link_state")]
    case 0x805C: [.u8("status"), .u8("link_state"), .optional, .u8("reason")]
    case 0x805D, 0x805F: [.u8("number"), .rest("provisioning_pdu")]
    case 0x805E: [.u8("number")]
    case 0x8061, 0x8062: [.choice("private_beacon", enabled), .optional, .u8("update_steps")]
    case 0x8064, 0x8065: [.choice("private_gatt_proxy", enabled)]
    case 0x8066: [.netIndex]
    case 0x8067: [.netIndex, .u8("identity")]
    case 0x8068: [.u8("status"), .netIndex, .u8("identity")]
    default: nil
    }
  }

  private static func generic(_ opcode: UInt32) -> [ParameterPart]? {
    switch opcode {
    case 0x8201, 0x8205, 0x820D, 0x8211, 0x8215, 0x8219, 0x821B, 0x821D, 0x8223, 0x8225: []
    case 0x8202, 0x8203: [.choice("onoff", onOff)] + change
    case 0x8204:
      [
        .choice("onoff", onOff), .optional, .choice("target", onOff), .transition("remaining"),
      ]
    case 0x8206, 0x8207: [.i16("level")] + change
    case 0x8208: [.i16("level"), .optional, .i16("target"), .transition("remaining")]
    case 0x8209, 0x820A: [.i32("delta")] + change
    case 0x820B, 0x820C: [.i16("delta")] + change
    case 0x820E, 0x820F, 0x8210: [.transition("transition")]
    case 0x8212, 0x8213, 0x8214: [.choice("on_power_up", ["off", "default", "restore"])]
    case 0x8216, 0x8217: [.u16("power")] + change
    case 0x8218: [.u16("power"), .optional, .u16("target"), .transition("remaining")]
    case 0x821A, 0x821C, 0x821F, 0x8220: [.u16("power")]
    case 0x821E:
      [
        .choice("status", ["success", "cannot set range minimum", "cannot set range maximum"]),
        .u16("minimum"), .u16("maximum"),
      ]
    case 0x8221, 0x8222: [.u16("minimum"), .u16("maximum")]
    case 0x8224:
      [.u8("battery"), .u24("minutes_to_discharge"), .u24("minutes_to_charge"), .u8("flags")]
    default: nil
    }
  }
}
