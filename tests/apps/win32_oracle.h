/* The controls of win32_oracle.c, and the file that says the truth about them. */
#define _WIN32_WINNT 0x0600
#include <windows.h>
#include <commctrl.h>
#include <commdlg.h>
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#define PLAIN L"Static", SS_NOPREFIX
#define LABEL L"Static", 0
#define FIELD L"Edit", WS_BORDER | WS_TABSTOP | ES_AUTOHSCROLL
#define BUTTON(style) L"Button", WS_TABSTOP | (style)
#define BOX L"ComboBox", WS_TABSTOP | WS_VSCROLL | CBS_AUTOHSCROLL

/* key, class, style, text, left, top, width, height in the window */
#define CONTROLS(X) \
    X(bar, TOOLBARCLASSNAMEW, TBSTYLE_TOOLTIPS | TBSTYLE_FLAT, L"", 0, 0, 0, 0) \
    X(status, STATUSCLASSNAMEW, SBARS_SIZEGRIP, L"", 0, 0, 0, 0) \
    X(name_label, LABEL, L"&Name", 8, 44, 60, 18) \
    X(name, FIELD | WS_GROUP, L"Ada", 72, 42, 160, 22) \
    X(secret_label, LABEL, L"Secret", 8, 72, 60, 18) \
    X(secret, FIELD | ES_PASSWORD, L"xyzzy", 72, 70, 160, 22) \
    X(fixed_label, LABEL, L"Fixed", 8, 100, 60, 18) \
    X(fixed, FIELD | ES_READONLY, L"Not to be changed", 72, 98, 160, 22) \
    X(notes_label, LABEL, L"Notes", 8, 126, 60, 18) \
    X(notes, L"Edit", WS_BORDER | WS_TABSTOP | WS_VSCROLL | ES_MULTILINE | ES_AUTOVSCROLL | ES_WANTRETURN, \
      L"One\r\nTwo", 8, 144, 224, 64) \
    X(words, PLAIN, L"Plain words", 8, 214, 120, 18) \
    X(button, BUTTON(BS_PUSHBUTTON), L"&Press me", 8, 238, 100, 26) \
    X(usual, BUTTON(BS_DEFPUSHBUTTON), L"Default", 116, 238, 100, 26) \
    X(off, BUTTON(BS_PUSHBUTTON) | WS_DISABLED, L"Off", 8, 270, 100, 26) \
    X(hidden, BUTTON(BS_PUSHBUTTON), L"Hidden", 116, 270, 100, 26) \
    X(check, BUTTON(BS_AUTOCHECKBOX), L"&Check me", 8, 302, 100, 20) \
    X(three, BUTTON(BS_AUTO3STATE), L"Three", 116, 302, 100, 20) \
    X(colour, L"Button", BS_GROUPBOX, L"Colour", 8, 326, 224, 46) \
    X(red, BUTTON(BS_AUTORADIOBUTTON) | WS_GROUP, L"Red", 18, 344, 60, 20) \
    X(green, BUTTON(BS_AUTORADIOBUTTON), L"Green", 84, 344, 60, 20) \
    X(blue, BUTTON(BS_AUTORADIOBUTTON), L"Blue", 150, 344, 60, 20) \
    X(size_label, LABEL, L"Size", 248, 44, 60, 18) \
    X(size, BOX | CBS_DROPDOWNLIST | WS_GROUP, L"", 310, 42, 150, 160) \
    X(city_label, LABEL, L"City", 248, 74, 60, 18) \
    X(city, BOX | CBS_DROPDOWN, L"", 310, 72, 150, 160) \
    X(fruit_label, LABEL, L"Fruit", 248, 102, 60, 18) \
    X(fruit, L"ListBox", WS_BORDER | WS_TABSTOP | WS_VSCROLL | LBS_NOTIFY, L"", 248, 120, 212, 62) \
    X(grid_label, LABEL, L"Grid", 248, 190, 60, 18) \
    X(grid, WC_LISTVIEWW, WS_BORDER | WS_TABSTOP | LVS_REPORT | LVS_SHOWSELALWAYS, L"", 248, 208, 212, 92) \
    X(places_label, LABEL, L"Places", 476, 44, 60, 18) \
    X(places, WC_TREEVIEWW, WS_BORDER | WS_TABSTOP | TVS_HASBUTTONS | TVS_LINESATROOT | TVS_SHOWSELALWAYS, \
      L"", 476, 62, 180, 120) \
    X(pages, WC_TABCONTROLW, WS_TABSTOP, L"", 476, 190, 180, 110) \
    X(page, PLAIN, L"This is General", 488, 226, 150, 18) \
    X(volume_label, LABEL, L"Volume", 248, 310, 60, 18) \
    X(volume, TRACKBAR_CLASSW, WS_TABSTOP | TBS_AUTOTICKS, L"", 310, 306, 150, 30) \
    X(count_label, LABEL, L"Count", 248, 346, 60, 18) \
    X(count, FIELD | ES_NUMBER, L"5", 310, 344, 80, 22) \
    X(spin, UPDOWN_CLASSW, UDS_SETBUDDYINT | UDS_ALIGNRIGHT | UDS_ARROWKEYS | UDS_AUTOBUDDY, L"", 390, 344, 18, 22) \
    X(progress, PROGRESS_CLASSW, 0, L"", 476, 310, 180, 18) \
    X(message, BUTTON(BS_PUSHBUTTON) | WS_GROUP, L"Message", 8, 384, 76, 26) \
    X(dialog, BUTTON(BS_PUSHBUTTON), L"Dialog...", 90, 384, 76, 26) \
    X(open, BUTTON(BS_PUSHBUTTON), L"Open file...", 172, 384, 84, 26) \
    X(save, BUTTON(BS_PUSHBUTTON), L"Save file...", 262, 384, 84, 26) \
    X(hang, BUTTON(BS_PUSHBUTTON), L"Hang", 352, 384, 70, 26) \
    X(rename, BUTTON(BS_PUSHBUTTON), L"Rename", 428, 384, 70, 26) \
    X(move, BUTTON(BS_PUSHBUTTON), L"Move", 504, 384, 70, 26) \
    X(remove, BUTTON(BS_PUSHBUTTON), L"Remove", 580, 384, 76, 26) \
    X(target, BUTTON(BS_PUSHBUTTON), L"Target", 476, 340, 80, 26)

#define KEY(key, ...) c_##key,
enum { CONTROLS(KEY) COUNT };
static struct {
    const char *key;
    const wchar_t *kind;
    DWORD style;
    const wchar_t *text;
    int left, top, width, height;
} controls[] = {
#define ROW(key, ...) {#key, __VA_ARGS__},
    CONTROLS(ROW)
};
static HWND handles[COUNT];
static int presses[COUNT];

/* name, label, key of its accelerator in bar and menu */
#define COMMANDS(X) \
    X(new, L"&New\tCtrl+N") X(open_file, L"&Open...\tCtrl+O") X(save_file, L"&Save as...") X(first, L"&First") \
    X(deep, L"&Deep") X(quit, L"E&xit") X(show_status, L"&Status bar") X(small, L"&Small") X(medium, L"&Medium") \
    X(large, L"&Large") X(locked, L"&Locked") X(refresh, L"&Refresh\tF5") X(about, L"&About") X(cut, L"Cu&t") \
    X(paste, L"&Paste") X(marked, L"&Marked") X(pin, L"Pin")
#define COMMAND_ID(name, label) m_##name,
#define COMMAND_NAME(name, label) #name,
#define COMMAND_LABEL(name, label) label,
enum { FIRST_CONTROL = 100, FIRST_COMMAND = 500 };
enum { BEFORE_COMMANDS = FIRST_COMMAND - 1, COMMANDS(COMMAND_ID) LAST_COMMAND };
static const char *command_names[] = {COMMANDS(COMMAND_NAME)};
static const wchar_t *command_labels[] = {COMMANDS(COMMAND_LABEL)};

static HWND window;
static HMENU menu_bar;
static wchar_t state_file[MAX_PATH], new_file[MAX_PATH], question_file[MAX_PATH];
static char json[65536], written[65536], clicked[4096], commands[4096], answers[8192];
static size_t length;

/* JSON */

static void put(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = vsnprintf(json + length, sizeof json - length, format, values);
    va_end(values);
    if (n > 0 && length + n < sizeof json) length += n;
}

static void quote(const wchar_t *text, char *out, size_t size)
{
    size_t n = 0;
    out[n++] = '"';
    for (; *text && n + 8 < size; text++)
        n += snprintf(out + n, size - n, *text < 32 || *text > 126 || *text == '"' || *text == '\\' ? "\\u%04x" : "%c",
                      *text);
    out[n++] = '"';
    out[n] = 0;
}

static void put_text(const char *key, const wchar_t *text)
{
    char quoted[8192];
    quote(text, quoted, sizeof quoted);
    put(", \"%s\": %s", key, quoted);
}

static void append(char *list, size_t size, const char *item)
{
    size_t n = strlen(list);
    snprintf(list + n, size - n, "%s%s", n ? ", " : "", item);
}

static void append_name(char *list, size_t size, const char *name)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    append(list, size, quoted);
}

static void answer(const wchar_t *text)
{
    char quoted[2048];
    quote(text, quoted, sizeof quoted);
    append(answers, sizeof answers, quoted);
}

/* State of the controls */

static LRESULT ask(int control, UINT message, WPARAM w, LPARAM l)
{
    return SendMessageW(handles[control], message, w, l);
}

static BOOL is_kind(int control, const wchar_t *kind)
{
    return !lstrcmpiW(controls[control].kind, kind);
}

static void put_rect(const char *key, HWND of, RECT r)
{
    if (of) MapWindowPoints(of, NULL, (POINT *)&r, 2);
    put("\"%s\": [%ld, %ld, %ld, %ld]", key, r.left, r.top, r.right, r.bottom);
}

static void put_value(int c)
{
    DWORD start = 0, end = 0;
    if (is_kind(c, L"Edit")) {
        ask(c, EM_GETSEL, (WPARAM)&start, (LPARAM)&end);
        put(", \"selection\": [%lu, %lu]", start, end);
    } else if (is_kind(c, L"Button"))
        put(", \"checked\": %d", (int)ask(c, BM_GETCHECK, 0, 0));
    else if (is_kind(c, L"ComboBox"))
        put(", \"selected\": %d, \"opened\": %d", (int)ask(c, CB_GETCURSEL, 0, 0),
            (int)ask(c, CB_GETDROPPEDSTATE, 0, 0));
    else if (is_kind(c, L"ListBox"))
        put(", \"selected\": %d", (int)ask(c, LB_GETCURSEL, 0, 0));
    else if (c == c_grid)
        put(", \"selected\": %d", (int)ask(c, LVM_GETNEXTITEM, -1, LVNI_SELECTED));
    else if (c == c_pages)
        put(", \"selected\": %d", (int)ask(c, TCM_GETCURSEL, 0, 0));
    else if (c == c_volume)
        put(", \"value\": %d", (int)ask(c, TBM_GETPOS, 0, 0));
    else if (c == c_progress)
        put(", \"value\": %d", (int)ask(c, PBM_GETPOS, 0, 0));
}

static void put_control(int c)
{
    wchar_t text[1024] = L"";
    RECT r = {0};
    put("%s\"%s\": {", c ? ", " : "", controls[c].key);
    GetWindowRect(handles[c], &r);
    put_rect("rect", NULL, r);
    put(", \"there\": %d, \"showing\": %d, \"enabled\": %d", IsWindow(handles[c]), IsWindowVisible(handles[c]),
        IsWindowEnabled(handles[c]));
    GetWindowTextW(handles[c], text, 1024);
    put_text("text", text);
    put_value(c);
    put("}");
}

static void put_places(HTREEITEM item)
{
    for (; item; item = TreeView_GetNextSibling(handles[c_places], item)) {
        wchar_t text[64];
        TVITEMW it = {.mask = TVIF_TEXT | TVIF_STATE, .hItem = item, .pszText = text, .cchTextMax = 64,
                       .stateMask = 0xff};
        RECT r = {0};
        TreeView_GetItem(handles[c_places], &it);
        BOOL in_view = TreeView_GetItemRect(handles[c_places], item, &r, TRUE);
        put(", \"%ls\": {", text);
        put_rect("rect", in_view ? handles[c_places] : NULL, in_view ? r : (RECT){0, 0, 0, 0});
        put(", \"showing\": %d, \"selected\": %d, \"expanded\": %d}", in_view, !!(it.state & TVIS_SELECTED),
            !!(it.state & TVIS_EXPANDED));
        put_places(TreeView_GetChild(handles[c_places], item));
    }
}

static void put_items(void)
{
    RECT r;
    put(", \"items\": {\"end\": 0");
    for (int i = 0; i < (int)ask(c_fruit, LB_GETCOUNT, 0, 0); i++) {
        wchar_t text[64];
        ask(c_fruit, LB_GETTEXT, i, (LPARAM)text);
        ask(c_fruit, LB_GETITEMRECT, i, (LPARAM)&r);
        put(", \"%ls\": {", text);
        put_rect("rect", handles[c_fruit], r);
        put(", \"selected\": %d}", ask(c_fruit, LB_GETSEL, i, 0) > 0);
    }
    for (int i = 0; i < ListView_GetItemCount(handles[c_grid]); i++)
        for (int column = 0; column < 3; column++) {
            wchar_t text[64] = L"";
            ListView_GetSubItemRect(handles[c_grid], i, column, column ? LVIR_BOUNDS : LVIR_LABEL, &r);
            ListView_GetItemText(handles[c_grid], i, column, text, 64);
            put(", \"r%dc%d\": {", i, column);
            put_rect("rect", handles[c_grid], r);
            put_text("text", text);
            put("}");
        }
    put_places(TreeView_GetRoot(handles[c_places]));
    put("}");
}

static const char *focused(void)
{
    for (int c = 0; c < COUNT; c++)
        if (handles[c] && (handles[c] == GetFocus() || handles[c] == GetParent(GetFocus()))) return controls[c].key;
    return "";
}

static void put_question(void)
{
    wchar_t asked[256];
    char text[256] = "";
    DWORD n = 0;
    HANDLE file = CreateFileW(question_file, GENERIC_READ, 7, NULL, OPEN_EXISTING, 0, NULL);
    if (file != INVALID_HANDLE_VALUE) {
        ReadFile(file, text, sizeof text - 1, &n, NULL);
        CloseHandle(file);
    }
    MultiByteToWideChar(CP_UTF8, 0, text, -1, asked, 256);
    put_text("asked", asked);
}

static void write_file(void)
{
    DWORD n;
    HANDLE file = CreateFileW(new_file, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return;
    WriteFile(file, json, (DWORD)length, &n, NULL);
    CloseHandle(file);
    if (MoveFileExW(new_file, state_file, MOVEFILE_REPLACE_EXISTING)) strcpy(written, json);
}

static void write_state(void)
{
    const char *(CDECL *wine)(void) = (void *)GetProcAddress(GetModuleHandleW(L"ntdll"), "wine_get_version");
    wchar_t title[64] = L"";
    length = 0;
    put("{\"version\": \"%s\", \"focus\": \"%s\"", wine ? wine() : "Windows", focused());
    GetWindowTextW(window, title, 64);
    put_text("title", title);
    put(", \"status_shown\": %d, \"controls\": {", !!(GetMenuState(menu_bar, m_show_status, 0) & MF_CHECKED));
    for (int c = 0; c < COUNT; c++) put_control(c);
    put("}");
    put_items();
    put(", \"pressed\": {\"end\": 0");
    for (int c = 0; c < COUNT; c++)
        if (is_kind(c, L"Button")) put(", \"%s\": %d", controls[c].key, presses[c]);
    put("}, \"clicked\": [%s], \"commands\": [%s], \"answers\": [%s]", clicked, commands, answers);
    put_question();
    put("}");
    if (strcmp(json, written)) write_file();
}
