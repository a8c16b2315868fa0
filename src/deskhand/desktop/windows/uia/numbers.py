"""Numbers of UI Automation, by the names that its type library has."""

from enum import IntEnum


class Property(IntEnum):
    """`UIA_…PropertyId`."""

    RuntimeId = 30000
    BoundingRectangle = 30001
    ControlType = 30003
    LocalizedControlType = 30004
    Name = 30005
    AcceleratorKey = 30006
    HasKeyboardFocus = 30008
    IsKeyboardFocusable = 30009
    IsEnabled = 30010
    AutomationId = 30011
    ClassName = 30012
    HelpText = 30013
    IsPassword = 30019
    NativeWindowHandle = 30020
    IsOffscreen = 30022
    Orientation = 30023
    IsExpandCollapsePatternAvailable = 30028
    IsGridItemPatternAvailable = 30029
    IsGridPatternAvailable = 30030
    IsInvokePatternAvailable = 30031
    IsRangeValuePatternAvailable = 30033
    IsScrollPatternAvailable = 30034
    IsScrollItemPatternAvailable = 30035
    IsSelectionItemPatternAvailable = 30036
    IsSelectionPatternAvailable = 30037
    IsTextPatternAvailable = 30040
    IsTogglePatternAvailable = 30041
    IsValuePatternAvailable = 30043
    IsWindowPatternAvailable = 30044
    ValueValue = 30045
    ValueIsReadOnly = 30046
    RangeValueValue = 30047
    RangeValueIsReadOnly = 30048
    RangeValueMinimum = 30049
    RangeValueMaximum = 30050
    RangeValueSmallChange = 30052
    ScrollHorizontallyScrollable = 30057
    ScrollVerticallyScrollable = 30058
    SelectionCanSelectMultiple = 30060
    GridRowCount = 30062
    GridColumnCount = 30063
    GridItemRow = 30064
    GridItemColumn = 30065
    ExpandCollapseExpandCollapseState = 30070
    WindowIsModal = 30077
    SelectionItemIsSelected = 30079
    ToggleToggleState = 30086
    IsLegacyIAccessiblePatternAvailable = 30090
    LegacyIAccessibleDefaultAction = 30100
    AriaRole = 30101
    IsItemContainerPatternAvailable = 30108
    IsVirtualizedItemPatternAvailable = 30109
    SizeOfSet = 30153


class PatternId(IntEnum):
    """`UIA_…PatternId`."""

    Invoke = 10000
    Value = 10002
    RangeValue = 10003
    ExpandCollapse = 10005
    SelectionItem = 10010
    Text = 10014
    Toggle = 10015
    ScrollItem = 10017
    LegacyIAccessible = 10018
    VirtualizedItem = 10020


class ControlType(IntEnum):
    """`UIA_…ControlTypeId`."""

    Button = 50000
    Calendar = 50001
    CheckBox = 50002
    ComboBox = 50003
    Edit = 50004
    Hyperlink = 50005
    Image = 50006
    ListItem = 50007
    List = 50008
    Menu = 50009
    MenuBar = 50010
    MenuItem = 50011
    ProgressBar = 50012
    RadioButton = 50013
    ScrollBar = 50014
    Slider = 50015
    Spinner = 50016
    StatusBar = 50017
    Tab = 50018
    TabItem = 50019
    Text = 50020
    ToolBar = 50021
    ToolTip = 50022
    Tree = 50023
    TreeItem = 50024
    Custom = 50025
    Group = 50026
    Thumb = 50027
    DataGrid = 50028
    DataItem = 50029
    Document = 50030
    SplitButton = 50031
    Window = 50032
    Pane = 50033
    Header = 50034
    HeaderItem = 50035
    Table = 50036
    TitleBar = 50037
    Separator = 50038
    SemanticZoom = 50039
    AppBar = 50040


class TreeScope(IntEnum):
    """`TreeScope_…`."""

    Element = 1
    Subtree = 7


class ToggleState(IntEnum):
    """`ToggleState_…`."""

    Off = 0
    On = 1
    Indeterminate = 2


class ExpandCollapseState(IntEnum):
    """`ExpandCollapseState_…`."""

    Collapsed = 0
    Expanded = 1
    PartiallyExpanded = 2
    LeafNode = 3


class OrientationType(IntEnum):
    """`OrientationType_…`."""

    Horizontal = 1
    Vertical = 2


class Endpoint(IntEnum):
    """`TextPatternRangeEndpoint_…`."""

    Start = 0
    End = 1


class TextUnit(IntEnum):
    """`TextUnit_…`."""

    Character = 0


class Result(IntEnum):
    """Results of calls that failed, without a sign."""

    E_NOTIMPL = 0x80004001
    E_ACCESSDENIED = 0x80070005
    E_INVALIDARG = 0x80070057
    REGDB_E_CLASSNOTREG = 0x80040154
    RPC_E_CALL_REJECTED = 0x80010001
    RPC_E_SERVERCALL_RETRYLATER = 0x8001010A
    RPC_E_DISCONNECTED = 0x80010108
    RPC_S_SERVER_UNAVAILABLE = 0x800706BA
    RPC_S_CALL_FAILED = 0x800706BE
    UIA_E_ELEMENTNOTENABLED = 0x80040200
    UIA_E_ELEMENTNOTAVAILABLE = 0x80040201
    UIA_E_NOTSUPPORTED = 0x80040204
    UIA_E_TIMEOUT = 0x80131505
    UIA_E_INVALIDOPERATION = 0x80131509
