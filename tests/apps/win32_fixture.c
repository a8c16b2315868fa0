/* The application of the conformance suite with the controls of Win32: fixture.exe STATE_FILE.
 *
 * STATE_FILE is JSON with the fields of `FixtureState`, and replaced whole on every change.
 */
#define _WIN32_WINNT 0x0600
#include <windows.h>
#include <commctrl.h>
#include <stdio.h>
#include <wchar.h>

enum { PRESS = 100, RENEW, TWICE, TAKE_AWAY, VOLATILE, FRUIT, COUNT, CHECK, OPEN_DIALOG };

static HWND window, label, name, secret, check, fruit, count, volatiles[2];
static HWND dialog;
static int pressed, volatile_pressed;
static wchar_t state_file[MAX_PATH], new_file[MAX_PATH];
static char written[65536];

static HWND add(const wchar_t *kind, const wchar_t *text, DWORD style, const RECT *place, int id)
{
    HWND made = CreateWindowExW(0, kind, text, WS_CHILD | WS_VISIBLE | style, place->left, place->top, place->right,
                                place->bottom, window, (HMENU)(INT_PTR)id, NULL, NULL);
    SendMessageW(made, WM_SETFONT, (WPARAM)GetStockObject(DEFAULT_GUI_FONT), TRUE);
    return made;
}

/* Each takes a line of its own, the label 70 pixels of it. */
static HWND line(const wchar_t *kind, const wchar_t *text, DWORD style, int top, int height, int id)
{
    return add(kind, text, style, &(RECT){80, top, 220, height}, id);
}

static void label_at(const wchar_t *text, int top)
{
    add(L"Static", text, 0, &(RECT){8, top + 2, 68, 18}, 0);
}

static void make_volatiles(int number)
{
    for (int i = 0; i < 2; i++) {
        if (volatiles[i]) DestroyWindow(volatiles[i]);
        volatiles[i] = NULL;
    }
    for (int i = 0; i < number; i++)
        volatiles[i] = add(L"Button", L"Volatile", WS_TABSTOP, &(RECT){8 + i * 110, 440, 100, 24}, VOLATILE);
}

static void make_grid(void)
{
    HWND grid = line(WC_LISTVIEWW, L"", LVS_REPORT | WS_TABSTOP | WS_BORDER, 230, 84, 0);
    for (int column = 0; column < 3; column++) {
        wchar_t text[16];
        LVCOLUMNW header = {.mask = LVCF_TEXT | LVCF_WIDTH, .cx = 66, .pszText = text};
        swprintf(text, 16, L"Column %d", column);
        ListView_InsertColumn(grid, column, &header);
        for (int row = 0; row < 3; row++) {
            LVITEMW cell = {.mask = LVIF_TEXT, .iItem = row, .iSubItem = column, .pszText = text};
            swprintf(text, 16, L"r%dc%d", row, column);
            SendMessageW(grid, column ? LVM_SETITEMW : LVM_INSERTITEMW, 0, (LPARAM)&cell);
        }
    }
}

static void make_controls(void)
{
    static const wchar_t *names[] = {L"Apple", L"Pear", L"Plum"};
    add(L"Button", L"Press me", WS_TABSTOP, &(RECT){8, 6, 100, 24}, PRESS);
    label = add(L"Static", L"Pressed 0 times", 0, &(RECT){120, 10, 160, 18}, 0);
    check = add(L"Button", L"Check me", WS_TABSTOP | BS_AUTOCHECKBOX, &(RECT){8, 36, 120, 20}, CHECK);
    label_at(L"Name", 62);
    name = line(L"Edit", L"", WS_TABSTOP | WS_BORDER | ES_AUTOHSCROLL, 62, 22, 0);
    label_at(L"Secret", 92);
    secret = line(L"Edit", L"", WS_TABSTOP | WS_BORDER | ES_AUTOHSCROLL | ES_PASSWORD, 92, 22, 0);
    label_at(L"Fruit", 124);
    fruit = line(L"ListBox", L"", WS_TABSTOP | WS_BORDER | LBS_NOTIFY, 124, 70, FRUIT);
    for (int i = 0; i < 3; i++) SendMessageW(fruit, LB_ADDSTRING, 0, (LPARAM)names[i]);
    label_at(L"Grid", 230);
    make_grid();
    label_at(L"Count", 330);
    line(L"Edit", L"0", WS_TABSTOP | WS_BORDER | ES_NUMBER, 330, 22, COUNT);
    count = add(UPDOWN_CLASSW, L"", UDS_SETBUDDYINT | UDS_ALIGNRIGHT | UDS_AUTOBUDDY | UDS_ARROWKEYS,
                &(RECT){0, 0, 18, 22}, 0);
    SendMessageW(count, UDM_SETRANGE32, 0, 100);
    add(L"Button", L"Off", WS_TABSTOP | WS_DISABLED, &(RECT){8, 366, 100, 24}, 0);
    add(L"Button", L"Renew", WS_TABSTOP, &(RECT){8, 400, 80, 24}, RENEW);
    add(L"Button", L"Double", WS_TABSTOP, &(RECT){94, 400, 80, 24}, TWICE);
    add(L"Button", L"Remove", WS_TABSTOP, &(RECT){180, 400, 80, 24}, TAKE_AWAY);
    make_volatiles(1);
    SetFocus(name);
}

static void quote(HWND of, char *out, size_t size)
{
    static wchar_t text[4096];
    size_t n = 0;
    GetWindowTextW(of, text, 4096);
    for (const wchar_t *at = text; *at && n + 8 < size; at++)
        n += snprintf(out + n, size - n, *at < 32 || *at > 126 || *at == '"' || *at == '\\' ? "\\u%04x" : "%c", *at);
    out[n] = 0;
}

static void write_state(void)
{
    static char json[65536], names[24576], secrets[24576];
    static const char *fruits[] = {"", "Apple", "Pear", "Plum"};
    DWORD n;
    quote(name, names, sizeof names);
    quote(secret, secrets, sizeof secrets);
    snprintf(json, sizeof json,
             "{\"pressed\": %d, \"checked\": %s, \"name\": \"%s\", \"secret\": \"%s\", \"selected\": \"%s\","
             " \"count\": %d, \"dialog\": %s, \"volatile_pressed\": %d, \"opened\": \"\"}",
             pressed, SendMessageW(check, BM_GETCHECK, 0, 0) ? "true" : "false", names, secrets,
             fruits[SendMessageW(fruit, LB_GETCURSEL, 0, 0) + 1], (int)SendMessageW(count, UDM_GETPOS32, 0, 0),
             dialog ? "true" : "false", volatile_pressed);
    if (!strcmp(json, written)) return;
    HANDLE file = CreateFileW(new_file, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return;
    WriteFile(file, json, (DWORD)strlen(json), &n, NULL);
    CloseHandle(file);
    if (MoveFileExW(new_file, state_file, MOVEFILE_REPLACE_EXISTING)) strcpy(written, json);
}

static INT_PTR CALLBACK in_dialog(HWND of, UINT message, WPARAM w, LPARAM l)
{
    (void)l;
    if (message == WM_INITDIALOG) {
        dialog = of;
        SetWindowTextW(of, L"Question");
        CreateWindowW(L"Button", L"OK", WS_CHILD | WS_VISIBLE | WS_TABSTOP | BS_DEFPUSHBUTTON, 60, 20, 76, 26, of,
                      (HMENU)IDOK, NULL, NULL);
        return TRUE;
    }
    if (message == WM_COMMAND && (LOWORD(w) == IDOK || LOWORD(w) == IDCANCEL)) return EndDialog(of, 0);
    return FALSE;
}

static void ask(void)
{
    struct { DLGTEMPLATE base; WORD menu, kind, title; } template = {
        {.style = WS_POPUP | WS_CAPTION | WS_SYSMENU | DS_CENTER, .cx = 100, .cy = 40}, 0, 0, 0};
    DialogBoxIndirectW(NULL, &template.base, window, in_dialog);
    dialog = NULL;
}

static void command(int id)
{
    wchar_t text[32];
    if (id == PRESS) {
        swprintf(text, 32, L"Pressed %d times", ++pressed);
        SetWindowTextW(label, text);
    }
    if (id == RENEW || id == TWICE || id == TAKE_AWAY) make_volatiles(id == RENEW ? 1 : id == TWICE ? 2 : 0);
    if (id == VOLATILE) volatile_pressed++;
    if (id == OPEN_DIALOG) ask();
}

static LRESULT CALLBACK in_window(HWND of, UINT message, WPARAM w, LPARAM l)
{
    switch (message) {
    case WM_CREATE: window = of; make_controls(); return 0;
    case WM_DESTROY: PostQuitMessage(0); return 0;
    case WM_TIMER: write_state(); return 0;
    case WM_COMMAND: command(LOWORD(w)); return 0;
    }
    return DefWindowProcW(of, message, w, l);
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE before, PWSTR text, int show)
{
    int number;
    wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &number);
    INITCOMMONCONTROLSEX all = {sizeof all, 0xffff};
    HMENU bar = CreateMenu(), file = CreatePopupMenu();
    WNDCLASSW kind = {.lpfnWndProc = in_window, .hInstance = instance, .hbrBackground = (HBRUSH)(COLOR_BTNFACE + 1),
                      .lpszClassName = L"FixtureWindow", .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW)};
    MSG m;
    (void)before, (void)text;
    if (number < 2 || wcslen(arguments[1]) > MAX_PATH - 8) return 2;
    swprintf(state_file, MAX_PATH, L"%ls", arguments[1]);
    swprintf(new_file, MAX_PATH, L"%ls.new", arguments[1]);
    InitCommonControlsEx(&all);
    RegisterClassW(&kind);
    AppendMenuW(file, MF_STRING, OPEN_DIALOG, L"Open dialog...");
    AppendMenuW(bar, MF_POPUP, (UINT_PTR)file, L"File");
    CreateWindowW(kind.lpszClassName, L"Fixture", WS_OVERLAPPEDWINDOW, 60, 40, 330, 540, NULL, bar, instance, NULL);
    SetTimer(window, 1, 20, NULL);
    ShowWindow(window, show);
    while (GetMessageW(&m, NULL, 0, 0) > 0) {
        if (IsDialogMessageW(window, &m)) continue;
        TranslateMessage(&m);
        DispatchMessageW(&m);
    }
    return 0;
}
