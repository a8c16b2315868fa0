/* Controls with many items, and the seldom ones of Win32, in one window, "Items": win32_items.exe STATE_FILE.
 *
 * STATE_FILE is JSON and replaced whole on every change; all in it is read by the program from its own controls.
 *
 * x86_64-w64-mingw32-gcc -O1 -municode -mwindows -o win32_items.exe win32_items.c -lcomctl32
 */
#define _WIN32_WINNT 0x0600
#include <windows.h>
#include <commctrl.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

enum { ROWS = 300, ENDLESS = 1000000, PLACES = 60 };
enum { PRESS = 100, NAMES, ADDRESS };

static HWND window, orders, endless, names, places, tasks, pages, bar, day, month, address, hot_key;
static HTREEITEM roots[PLACES];
static int pressed, thumb, noted_days, noted_months, noted_addresses;
static wchar_t state_file[MAX_PATH], new_file[MAX_PATH];
static char json[16384], written[16384];
static size_t length;

static void put(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    length += vsnprintf(json + length, sizeof json - length, format, values);
    va_end(values);
}

static HWND add(const wchar_t *kind, DWORD style, const wchar_t *label, RECT place, int id)
{
    HFONT font = GetStockObject(DEFAULT_GUI_FONT);
    HWND named = CreateWindowExW(0, L"Static", label, WS_CHILD | WS_VISIBLE, place.left, place.top, place.right, 18,
                                 window, NULL, NULL, NULL);
    HWND made = CreateWindowExW(0, kind, L"", WS_CHILD | WS_VISIBLE | WS_TABSTOP | style, place.left, place.top + 18,
                                place.right, place.bottom, window, (HMENU)(INT_PTR)id, NULL, NULL);
    SendMessageW(named, WM_SETFONT, (WPARAM)font, TRUE), SendMessageW(made, WM_SETFONT, (WPARAM)font, TRUE);
    return made;
}

static void add_columns(HWND list, int count)
{
    static wchar_t *titles[] = {L"Order", L"Customer", L"Total"};
    for (int at = 0; at < count; at++) {
        LVCOLUMNW column = {.mask = LVCF_TEXT | LVCF_WIDTH, .cx = 80, .pszText = titles[at]};
        ListView_InsertColumn(list, at, &column);
    }
}

static void put_text(HWND list, int row, int column, wchar_t *text)
{
    LVITEMW item = {.mask = LVIF_TEXT, .iItem = row, .iSubItem = column, .pszText = text};
    SendMessageW(list, column ? LVM_SETITEMW : LVM_INSERTITEMW, 0, (LPARAM)&item);
}

static void fill_orders(void)
{
    wchar_t text[32];
    add_columns(orders, 3);
    for (int row = 0; row < ROWS; row++) {
        swprintf(text, 32, L"Order %03d", row), put_text(orders, row, 0, text);
        swprintf(text, 32, L"Customer %d", row * 7 % 31), put_text(orders, row, 1, text);
        swprintf(text, 32, L"%d.50", row * 3), put_text(orders, row, 2, text);
        swprintf(text, 32, L"Name %03d", row), SendMessageW(names, LB_ADDSTRING, 0, (LPARAM)text);
    }
    add_columns(endless, 2);
    ListView_SetItemCountEx(endless, ENDLESS, 0);
}

static HTREEITEM add_place(HTREEITEM parent, wchar_t *text)
{
    TVINSERTSTRUCTW insert = {.hParent = parent, .hInsertAfter = TVI_LAST};
    insert.item.mask = TVIF_TEXT;
    insert.item.pszText = text;
    return (HTREEITEM)SendMessageW(places, TVM_INSERTITEMW, 0, (LPARAM)&insert);
}

static void fill_checked(void)
{
    static wchar_t *jobs[] = {L"Wash", L"Iron", L"Fold"};
    wchar_t text[32];
    add_columns(tasks, 1);
    ListView_SetExtendedListViewStyle(tasks, LVS_EX_CHECKBOXES);
    for (int at = 0; at < 3; at++) put_text(tasks, at, 0, jobs[at]);
    for (int at = 0; at < PLACES; at++)
        swprintf(text, 32, L"Place %02d", at), roots[at] = add_place(TVI_ROOT, text);
    add_place(roots[50], L"Street");
}

static void make_controls(void)
{
    const DWORD list = WS_BORDER | LVS_REPORT | LVS_SHOWSELALWAYS;
    SYSTEMTIME first = {.wYear = 2026, .wMonth = 3, .wDay = 14};
    SCROLLINFO range = {.cbSize = sizeof range, .fMask = SIF_ALL, .nMax = 109, .nPage = 10, .nPos = 20};
    orders = add(WC_LISTVIEWW, list, L"Orders", (RECT){8, 4, 290, 92}, 0);
    endless = add(WC_LISTVIEWW, list | LVS_OWNERDATA, L"Endless", (RECT){310, 4, 220, 92}, 0);
    names = add(L"ListBox", WS_BORDER | WS_VSCROLL | LBS_NOTIFY, L"Names", (RECT){540, 4, 150, 92}, NAMES);
    places = add(WC_TREEVIEWW, WS_BORDER | TVS_HASBUTTONS | TVS_LINESATROOT | TVS_SHOWSELALWAYS | TVS_CHECKBOXES,
                 L"Places", (RECT){700, 4, 150, 92}, 0);
    tasks = add(WC_LISTVIEWW, list, L"Tasks", (RECT){8, 128, 140, 90}, 0);
    month = add(MONTHCAL_CLASSW, WS_BORDER, L"Month", (RECT){310, 128, 220, 170}, 0);
    day = add(DATETIMEPICK_CLASSW, 0, L"Day", (RECT){540, 128, 150, 24}, 0);
    address = add(WC_IPADDRESSW, 0, L"Address", (RECT){540, 174, 150, 24}, ADDRESS);
    hot_key = add(HOTKEY_CLASSW, WS_BORDER, L"Shortcut", (RECT){540, 220, 150, 24}, 0);
    bar = add(L"ScrollBar", SBS_HORZ, L"Bar", (RECT){700, 128, 150, 18}, 0);
    pages = add(L"Edit", WS_BORDER | WS_VSCROLL | ES_MULTILINE, L"Pages", (RECT){700, 174, 150, 90}, 0);
    CreateWindowW(L"Button", L"Quiet", WS_CHILD | WS_VISIBLE | WS_TABSTOP, 8, 250, 100, 26, window,
                  (HMENU)PRESS, NULL, NULL);
    SetScrollInfo(bar, SB_CTL, &range, TRUE);
    DateTime_SetSystemtime(day, GDT_VALID, &first), MonthCal_SetCurSel(month, &first);
    SendMessageW(address, IPM_SETADDRESS, 0, MAKEIPADDRESS(10, 0, 0, 7));
    SendMessageW(hot_key, HKM_SETHOTKEY, MAKEWORD('K', HOTKEYF_CONTROL), 0);
    for (int line = 0; line < 40; line++)
        SendMessageW(pages, EM_REPLACESEL, FALSE, (LPARAM)L"A line of text\r\n");
    fill_orders(), fill_checked();
    SetFocus(orders);
}

static void put_checks(void)
{
    put(", \"done\": [%d, %d, %d]", ListView_GetCheckState(tasks, 0), ListView_GetCheckState(tasks, 1),
        ListView_GetCheckState(tasks, 2));
    put(", \"visited\": [");
    for (int at = 0, n = 0; at < PLACES; at++)
        if (TreeView_GetCheckState(places, roots[at]) == 1) put("%s%d", n++ ? ", " : "", at);
    put("]");
}

static void put_place(void)
{
    wchar_t text[32] = L"";
    TVITEMW item = {.mask = TVIF_TEXT, .hItem = TreeView_GetSelection(places), .pszText = text, .cchTextMax = 32};
    if (item.hItem) TreeView_GetItem(places, &item);
    put(", \"place\": \"%ls\"", text);
}

static void put_numbers(void)
{
    SYSTEMTIME on = {0}, in = {0};
    SCROLLINFO info = {.cbSize = sizeof info, .fMask = SIF_ALL};
    DWORD ip = 0;
    DateTime_GetSystemtime(day, &on), MonthCal_GetCurSel(month, &in), GetScrollInfo(bar, SB_CTL, &info);
    SendMessageW(address, IPM_GETADDRESS, 0, (LPARAM)&ip);
    put(", \"day\": \"%04d-%02d-%02d\", \"month\": \"%04d-%02d-%02d\"", on.wYear, on.wMonth, on.wDay, in.wYear,
        in.wMonth, in.wDay);
    put(", \"address\": \"%lu.%lu.%lu.%lu\"", FIRST_IPADDRESS(ip), SECOND_IPADDRESS(ip), THIRD_IPADDRESS(ip),
        FOURTH_IPADDRESS(ip));
    put(", \"noted\": [%d, %d, %d]", noted_days, noted_months, noted_addresses > 0);
    put(", \"hot_key\": %d, \"bar\": %d, \"thumb\": %d, \"line\": %d", (int)SendMessageW(hot_key, HKM_GETHOTKEY, 0, 0),
        info.nPos, thumb, (int)SendMessageW(pages, EM_GETFIRSTVISIBLELINE, 0, 0));
}

static int chosen_number(void)
{
    int mark = (int)SendMessageW(endless, LVM_GETSELECTIONMARK, 0, 0); /* a search through all takes 20 ms */
    if (!SendMessageW(endless, LVM_GETSELECTEDCOUNT, 0, 0)) return -1;
    return (int)SendMessageW(endless, LVM_GETNEXTITEM, mark > 0 ? mark - 1 : -1, LVNI_SELECTED);
}

static void write_state(void)
{
    DWORD n;
    length = 0;
    put("{\"pressed\": %d, \"order\": %d, \"number\": %d, \"name\": %d", pressed,
        (int)SendMessageW(orders, LVM_GETNEXTITEM, -1, LVNI_SELECTED),
        chosen_number(), (int)SendMessageW(names, LB_GETCURSEL, 0, 0));
    put_checks(), put_place(), put_numbers();
    put("}");
    if (!strcmp(json, written)) return;
    HANDLE file = CreateFileW(new_file, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return;
    WriteFile(file, json, (DWORD)length, &n, NULL);
    CloseHandle(file);
    if (MoveFileExW(new_file, state_file, MOVEFILE_REPLACE_EXISTING)) strcpy(written, json);
}

static void give_text(NMLVDISPINFOW *wanted)
{
    if (wanted->item.mask & LVIF_TEXT)
        swprintf(wanted->item.pszText, wanted->item.cchTextMax, wanted->item.iSubItem ? L"Twice %d" : L"Number %d",
                 wanted->item.iSubItem ? 2 * wanted->item.iItem : wanted->item.iItem);
}

static void scroll(WPARAM w)
{
    if (LOWORD(w) == SB_THUMBPOSITION) thumb = HIWORD(w), SetScrollPos(bar, SB_CTL, thumb, TRUE);
}

static LRESULT CALLBACK in_window(HWND of, UINT message, WPARAM w, LPARAM l)
{
    NMHDR *note = (NMHDR *)l;
    switch (message) {
    case WM_CREATE: window = of; make_controls(); return 0;
    case WM_DESTROY: PostQuitMessage(0); return 0;
    case WM_TIMER: write_state(); return 0;
    case WM_HSCROLL: scroll(w); return 0;
    case WM_COMMAND:
        pressed += LOWORD(w) == PRESS;
        noted_addresses += LOWORD(w) == ADDRESS && HIWORD(w) == EN_CHANGE;
        return 0;
    case WM_NOTIFY:
        if (note->code == LVN_GETDISPINFOW) give_text((NMLVDISPINFOW *)l);
        if (note->code == DTN_DATETIMECHANGE && ((NMDATETIMECHANGE *)l)->st.wDay == 1) noted_days++;
        if (note->code == MCN_SELCHANGE && ((NMSELCHANGE *)l)->stSelStart.wDay == 2) noted_months++;
    }
    return DefWindowProcW(of, message, w, l);
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE before, PWSTR text, int show)
{
    int count;
    wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    INITCOMMONCONTROLSEX all = {sizeof all, 0xffff};
    WNDCLASSW kind = {.lpfnWndProc = in_window, .hInstance = instance, .hbrBackground = (HBRUSH)(COLOR_BTNFACE + 1),
                      .lpszClassName = L"ItemsWindow", .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW)};
    MSG m;
    (void)before, (void)text;
    if (count < 2 || wcslen(arguments[1]) > MAX_PATH - 8) return 2;
    swprintf(state_file, MAX_PATH, L"%ls", arguments[1]);
    swprintf(new_file, MAX_PATH, L"%ls.new", arguments[1]);
    InitCommonControlsEx(&all);
    RegisterClassW(&kind);
    CreateWindowW(kind.lpszClassName, L"Items", WS_OVERLAPPEDWINDOW, 60, 40, 872, 370, NULL, NULL, instance, NULL);
    SetTimer(window, 1, 50, NULL);
    ShowWindow(window, show);
    while (GetMessageW(&m, NULL, 0, 0) > 0) {
        if (IsDialogMessageW(window, &m)) continue;
        TranslateMessage(&m);
        DispatchMessageW(&m);
    }
    return 0;
}
