/// The names of common services, characteristics and descriptors (Bluetooth Assigned Numbers, 3).
public enum AttributeNames {
  /// The name of a 16-bit UUID; nil for one that is not common.
  public static func name(of uuid: BluetoothUUID) -> String? { uuid.short.flatMap { names[$0] } }

  private static let names: [UInt16: String] = [
    0x1800: "Generic Access", 0x1801: "Generic Attribute", 0x1802: "Immediate Alert",
    0x1803: "Link Loss", 0x1804: "Tx Power", 0x1805: "Current Time", 0x1808: "Glucose",
    0x1809: "Health Thermometer", 0x180A: "Device Information", 0x180D: "Heart Rate",
    0x180F: "Battery", 0x1810: "Blood Pressure", 0x1812: "Human Interface Device",
    0x1813: "Scan Parameters", 0x1814: "Running Speed and Cadence",
    0x1816: "Cycling Speed and Cadence", 0x1818: "Cycling Power", 0x1819: "Location and Navigation",
    0x181A: "Environmental Sensing", 0x181C: "User Data", 0x1822: "Pulse Oximeter",
    0x1826: "Fitness Machine", 0x1827: "Mesh Provisioning", 0x1828: "Mesh Proxy",
    0x184E: "Audio Stream Control", 0x1844: "Volume Control",
    0x2800: "Primary Service", 0x2801: "Secondary Service", 0x2802: "Include",
    0x2803: "Characteristic", 0x2900: "Extended Properties", 0x2901: "User Description",
    0x2902: "Client Configuration", 0x2903: "Server Configuration", 0x2904: "Presentation Format",
    0x2908: "Report Reference",
    0x2A00: "Device Name", 0x2A01: "Appearance", 0x2A04: "Preferred Connection Parameters",
    0x2A05: "Service Changed", 0x2A06: "Alert Level", 0x2A07: "Tx Power Level",
    0x2A19: "Battery Level", 0x2A1C: "Temperature Measurement", 0x2A23: "System ID",
    0x2A24: "Model Number", 0x2A25: "Serial Number", 0x2A26: "Firmware Revision",
    0x2A27: "Hardware Revision", 0x2A28: "Software Revision", 0x2A29: "Manufacturer Name",
    0x2A2B: "Current Time", 0x2A35: "Blood Pressure Measurement", 0x2A37: "Heart Rate Measurement",
    0x2A38: "Body Sensor Location", 0x2A39: "Heart Rate Control Point",
    0x2A4A: "HID Information", 0x2A4B: "Report Map", 0x2A4C: "HID Control Point",
    0x2A4D: "Report", 0x2A4E: "Protocol Mode", 0x2A50: "PnP ID", 0x2A6E: "Temperature",
    0x2A6F: "Humidity", 0x2AA6: "Central Address Resolution",
    0x2ADB: "Mesh Provisioning Data In", 0x2ADC: "Mesh Provisioning Data Out",
    0x2ADD: "Mesh Proxy Data In", 0x2ADE: "Mesh Proxy Data Out",
    0x2B29: "Client Supported Features", 0x2B2A: "Database Hash",
    0x2B3A: "Server Supported Features",
    0xFE59: "Nordic Secure DFU", 0xFEAA: "Eddystone",
  ]
}
