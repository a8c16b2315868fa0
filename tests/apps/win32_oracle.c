/* Every standard control of Win32 in one window, "Oracle": win32_oracle.exe STATE_FILE [SECONDS].
 *
 * STATE_FILE is JSON and replaced whole on every change. `controls`: by key, the facts that the program itself reads
 * from its control (rectangles are left, top, right, bottom on the screen); `items`: those of lists, tables and trees;
 * `pressed`: presses of each button; `clicked`: keys of the controls and items that the pointer was pressed on;
 * `commands`: names of the commands of menus and tool bar; `answers`: results of the dialogs, in order; `asked`:
 * content of the neighbour STATE_FILE.asked when the program wrote its state. SECONDS (3): how long "Hang" hangs.
 *
 * x86_64-w64-mingw32-gcc -O1 -municode -mwindows -o win32_oracle.exe win32_oracle.c -lcomctl32 -lcomdlg32
 */
#include "win32_oracle.h"

static HMENU popup;
static DWORD hang_ms = 3000;

/* Menus, accelerators, dialogs */

static void add(HMENU menu, int command, UINT flags)
{
    AppendMenuW(menu, MF_STRING | flags, command, command_labels[command - FIRST_COMMAND]);
}

static void make_menus(void)
{
    HMENU file = CreatePopupMenu(), recent = CreatePopupMenu(), second = CreatePopupMenu();
    HMENU view = CreatePopupMenu(), zoom = CreatePopupMenu(), help = CreatePopupMenu();
    menu_bar = CreateMenu();
    popup = CreatePopupMenu();
    add(file, m_new, 0), add(file, m_open_file, 0), add(file, m_save_file, 0);
    AppendMenuW(file, MF_SEPARATOR, 0, NULL);
    AppendMenuW(file, MF_POPUP, (UINT_PTR)recent, L"&Recent");
    add(recent, m_first, 0);
    AppendMenuW(recent, MF_POPUP, (UINT_PTR)second, L"&Second");
    add(second, m_deep, 0);
    add(file, m_quit, 0);
    add(view, m_show_status, MF_CHECKED);
    AppendMenuW(view, MF_POPUP, (UINT_PTR)zoom, L"&Zoom");
    add(zoom, m_small, 0), add(zoom, m_medium, 0), add(zoom, m_large, 0);
    CheckMenuRadioItem(zoom, m_small, m_large, m_medium, MF_BYCOMMAND);
    add(view, m_locked, MF_GRAYED), add(view, m_refresh, 0);
    SetMenuDefaultItem(view, m_refresh, FALSE);
    add(help, m_about, 0);
    add(popup, m_cut, 0), add(popup, m_paste, MF_GRAYED), add(popup, m_marked, 0);
    AppendMenuW(menu_bar, MF_POPUP, (UINT_PTR)file, L"&File");
    AppendMenuW(menu_bar, MF_POPUP, (UINT_PTR)view, L"&View");
    AppendMenuW(menu_bar, MF_POPUP, (UINT_PTR)help, L"&Help");
}

static INT_PTR CALLBACK in_dialog(HWND dialog, UINT message, WPARAM w, LPARAM l)
{
    wchar_t text[256];
    if (message == WM_INITDIALOG) {
        SetWindowTextW(dialog, L"Question");
        CreateWindowW(L"Static", L"Answer", WS_CHILD | WS_VISIBLE, 10, 12, 60, 18, dialog, NULL, NULL, NULL);
        HWND field = CreateWindowW(L"Edit", L"", WS_CHILD | WS_VISIBLE | WS_BORDER | WS_TABSTOP, 74, 10, 150, 22,
                                   dialog, (HMENU)10, NULL, NULL);
        CreateWindowW(L"Button", L"OK", WS_CHILD | WS_VISIBLE | WS_TABSTOP | BS_DEFPUSHBUTTON, 60, 44, 76, 26, dialog,
                      (HMENU)IDOK, NULL, NULL);
        CreateWindowW(L"Button", L"Cancel", WS_CHILD | WS_VISIBLE | WS_TABSTOP, 146, 44, 76, 26, dialog,
                      (HMENU)IDCANCEL, NULL, NULL);
        SetFocus(field);
        return FALSE;
    }
    if (message != WM_COMMAND || (LOWORD(w) != IDOK && LOWORD(w) != IDCANCEL)) return FALSE;
    GetDlgItemTextW(dialog, 10, text, 256);
    answer(LOWORD(w) == IDOK ? text : L"cancelled");
    return EndDialog(dialog, 0);
}

static void ask_question(void)
{
    struct { DLGTEMPLATE base; WORD menu, kind, title; } template = {
        {.style = WS_POPUP | WS_CAPTION | WS_SYSMENU | DS_MODALFRAME | DS_CENTER, .cx = 124, .cy = 50}, 0, 0, 0};
    DialogBoxIndirectW(NULL, &template.base, window, in_dialog);
}

static void ask_file(BOOL save)
{
    wchar_t path[MAX_PATH] = L"";
    OPENFILENAMEW o = {.lStructSize = sizeof o, .hwndOwner = window, .lpstrFile = path, .nMaxFile = MAX_PATH,
                       .lpstrFilter = L"Text\0*.txt\0All\0*.*\0", .Flags = OFN_EXPLORER | OFN_NOCHANGEDIR,
                       .lpstrDefExt = L"txt"};
    o.Flags |= save ? OFN_OVERWRITEPROMPT : OFN_FILEMUSTEXIST;
    answer((save ? GetSaveFileNameW(&o) : GetOpenFileNameW(&o)) ? path : L"cancelled");
}

/* Building and running the window */

static void fill_table(void)
{
    for (int column = 0; column < 3; column++) {
        wchar_t title[16], text[16];
        LVCOLUMNW c = {.mask = LVCF_TEXT | LVCF_WIDTH, .cx = 66, .pszText = title};
        swprintf(title, 16, L"Column %d", column);
        ListView_InsertColumn(handles[c_grid], column, &c);
        for (int row = 0; row < 3; row++) {
            LVITEMW item = {.mask = LVIF_TEXT, .iItem = row, .iSubItem = column, .pszText = text};
            swprintf(text, 16, L"r%dc%d", row, column);
            SendMessageW(handles[c_grid], column ? LVM_SETITEMW : LVM_INSERTITEMW, 0, (LPARAM)&item);
        }
    }
}

static HTREEITEM add_place(HTREEITEM parent, wchar_t *text)
{
    TVINSERTSTRUCTW insert = {.hParent = parent, .hInsertAfter = TVI_LAST};
    insert.item.mask = TVIF_TEXT;
    insert.item.pszText = text;
    return (HTREEITEM)ask(c_places, TVM_INSERTITEMW, 0, (LPARAM)&insert);
}

static void fill(void)
{
    static const wchar_t *sizes[] = {L"Small", L"Medium", L"Large"}, *cities[] = {L"Paris", L"Rome", L"Oslo"};
    static const wchar_t *fruit[] = {L"Apple", L"Pear", L"Plum"};
    static wchar_t *pages[] = {L"General", L"Details", L"Extra"};
    TBBUTTON tools[] = {{.iBitmap = STD_FILENEW, .idCommand = m_new, .fsState = TBSTATE_ENABLED},
                        {.iBitmap = STD_FILEOPEN, .idCommand = m_open_file, .fsState = TBSTATE_ENABLED},
                        {.fsStyle = BTNS_SEP},
                        {STD_PROPERTIES, m_pin, TBSTATE_ENABLED, BTNS_CHECK, {0}, 0, 0},
                        {.iBitmap = STD_PASTE, .idCommand = m_paste}};
    int parts[] = {200, -1};
    for (int i = 0; i < 3; i++) {
        TCITEMW page = {.mask = TCIF_TEXT, .pszText = pages[i]};
        ask(c_size, CB_ADDSTRING, 0, (LPARAM)sizes[i]);
        ask(c_city, CB_ADDSTRING, 0, (LPARAM)cities[i]);
        ask(c_fruit, LB_ADDSTRING, 0, (LPARAM)fruit[i]);
        ask(c_pages, TCM_INSERTITEMW, i, (LPARAM)&page);
    }
    ask(c_size, CB_SETCURSEL, 1, 0), ask(c_city, CB_SETCURSEL, 0, 0), ask(c_red, BM_SETCHECK, BST_CHECKED, 0);
    ask(c_volume, TBM_SETPOS, TRUE, 30), ask(c_progress, PBM_SETPOS, 40, 0);
    ask(c_spin, UDM_SETRANGE32, 0, 100), ask(c_spin, UDM_SETPOS32, 0, 5);
    fill_table();
    HTREEITEM europe = add_place(TVI_ROOT, L"Europe"), asia = add_place(TVI_ROOT, L"Asia");
    add_place(add_place(europe, L"France"), L"Lyon"), add_place(europe, L"Italy"), add_place(asia, L"Japan");
    ask(c_bar, TB_BUTTONSTRUCTSIZE, sizeof(TBBUTTON), 0);
    ask(c_bar, TB_LOADIMAGES, IDB_STD_SMALL_COLOR, (LPARAM)HINST_COMMCTRL);
    ask(c_bar, TB_ADDBUTTONSW, 5, (LPARAM)tools), ask(c_bar, TB_AUTOSIZE, 0, 0);
    ask(c_status, SB_SETPARTS, 2, (LPARAM)parts);
    ask(c_status, SB_SETTEXTW, 0, (LPARAM)L"Ready"), ask(c_status, SB_SETTEXTW, 1, (LPARAM)L"Line 1");
}

static void make_controls(void)
{
    for (int c = 0; c < COUNT; c++) {
        handles[c] = CreateWindowExW(0, controls[c].kind, controls[c].text,
                                     WS_CHILD | controls[c].style | (c == c_hidden ? 0 : WS_VISIBLE), controls[c].left,
                                     controls[c].top, controls[c].width, controls[c].height, window,
                                     (HMENU)(INT_PTR)(FIRST_CONTROL + c), NULL, NULL);
        ask(c, WM_SETFONT, (WPARAM)GetStockObject(DEFAULT_GUI_FONT), TRUE);
    }
    fill();
    SetFocus(handles[c_name]);
}

static void carry_out(int command)
{
    append_name(commands, sizeof commands, command_names[command - FIRST_COMMAND]);
    if (command == m_open_file || command == m_save_file) ask_file(command == m_save_file);
    if (command == m_quit) DestroyWindow(window);
    if (command == m_show_status) {
        BOOL shown = !!(GetMenuState(menu_bar, command, 0) & MF_CHECKED);
        CheckMenuItem(menu_bar, command, shown ? MF_UNCHECKED : MF_CHECKED);
        ShowWindow(handles[c_status], shown ? SW_HIDE : SW_SHOW);
    }
    if (command >= m_small && command <= m_large)
        CheckMenuRadioItem(menu_bar, m_small, m_large, command, MF_BYCOMMAND);
    if (command == m_marked)
        CheckMenuItem(popup, command, GetMenuState(popup, command, 0) & MF_CHECKED ? MF_UNCHECKED : MF_CHECKED);
}

static void press(int c)
{
    presses[c]++;
    if (c == c_message) answer(MessageBoxW(window, L"Go on?", L"Message", MB_YESNO) == IDYES ? L"yes" : L"no");
    if (c == c_dialog) ask_question();
    if (c == c_open || c == c_save) ask_file(c == c_save);
    if (c == c_rename) SetWindowTextW(handles[c_target], L"Renamed");
    if (c == c_move) SetWindowPos(handles[c_target], NULL, 566, 336, 90, 34, SWP_NOZORDER);
    if (c == c_remove) DestroyWindow(handles[c_target]);
    if (c == c_hang) write_state(), Sleep(hang_ms);
}

static void turn_page(void)
{
    static const wchar_t *texts[] = {L"This is General", L"This is Details", L"This is Extra"};
    SetWindowTextW(handles[c_page], texts[ask(c_pages, TCM_GETCURSEL, 0, 0)]);
}

static void give_tip(NMTTDISPINFOW *tip)
{
    const wchar_t *label = command_labels[tip->hdr.idFrom - FIRST_COMMAND];
    swprintf(tip->szText, 80, L"%.*ls", (int)wcscspn(label, L"\t."), label);
    for (wchar_t *at = wcschr(tip->szText, '&'); at; at = NULL) memmove(at, at + 1, wcslen(at) * sizeof *at);
}

static void command(WPARAM w)
{
    int id = LOWORD(w), c = id - FIRST_CONTROL;
    if (id >= FIRST_COMMAND && id < LAST_COMMAND) carry_out(id);
    else if (c >= 0 && c < COUNT && is_kind(c, L"Button") && HIWORD(w) == BN_CLICKED) press(c);
}

static LRESULT CALLBACK in_window(HWND of, UINT message, WPARAM w, LPARAM l)
{
    NMHDR *note = (NMHDR *)l;
    switch (message) {
    case WM_CREATE: window = of; make_controls(); return 0;
    case WM_DESTROY: PostQuitMessage(0); return 0;
    case WM_SIZE: ask(c_status, WM_SIZE, 0, 0), ask(c_bar, TB_AUTOSIZE, 0, 0); return 0;
    case WM_TIMER: write_state(); return 0;
    case WM_COMMAND: command(w); return 0;
    case DM_GETDEFID: return MAKELONG(FIRST_CONTROL + c_usual, DC_HASDEFID);
    case WM_CONTEXTMENU:
        TrackPopupMenu(popup, 0, (short)LOWORD(l), (short)HIWORD(l), 0, of, NULL);
        return 0;
    case WM_CTLCOLOREDIT:
        if ((HWND)l == handles[c_secret]) SetTextColor((HDC)w, RGB(0xfd, 0x02, 0xfd));
        break;
    case WM_NOTIFY:
        if (note->code == TCN_SELCHANGE) turn_page();
        if (note->code == TTN_GETDISPINFOW && note->idFrom >= FIRST_COMMAND && note->idFrom < LAST_COMMAND)
            give_tip((NMTTDISPINFOW *)l);
    }
    return DefWindowProcW(of, message, w, l);
}

static void note_click(const MSG *m)
{
    char item[64];
    for (int c = 0; c < COUNT; c++) {
        if (handles[c] != m->hwnd && handles[c] != GetParent(m->hwnd)) continue;
        LVHITTESTINFO hit = {.pt = {(short)LOWORD(m->lParam), (short)HIWORD(m->lParam)}};
        append_name(clicked, sizeof clicked, controls[c].key);
        if (c == c_fruit) {
            snprintf(item, sizeof item, "fruit %d", LOWORD(ask(c, LB_ITEMFROMPOINT, 0, m->lParam)));
            append_name(clicked, sizeof clicked, item);
        } else if (m->hwnd == handles[c_grid] && ListView_SubItemHitTest(m->hwnd, &hit) >= 0) {
            snprintf(item, sizeof item, "r%dc%d", hit.iItem, hit.iSubItem);
            append_name(clicked, sizeof clicked, item);
        }
    }
}

static void run(void)
{
    ACCEL keys[] = {{FCONTROL | FVIRTKEY, 'N', m_new}, {FCONTROL | FVIRTKEY, 'O', m_open_file},
                    {FVIRTKEY, VK_F5, m_refresh}};
    HACCEL table = CreateAcceleratorTableW(keys, 3);
    MSG m;
    while (GetMessageW(&m, NULL, 0, 0) > 0) {
        if (m.message == WM_LBUTTONDOWN) note_click(&m);
        if (TranslateAcceleratorW(window, table, &m) || IsDialogMessageW(window, &m)) continue;
        TranslateMessage(&m);
        DispatchMessageW(&m);
    }
}

int WINAPI wWinMain(HINSTANCE instance, HINSTANCE before, PWSTR line, int show)
{
    INITCOMMONCONTROLSEX all = {sizeof all, 0xffff};
    int count;
    wchar_t **arguments = CommandLineToArgvW(GetCommandLineW(), &count);
    WNDCLASSW kind = {.lpfnWndProc = in_window, .hInstance = instance, .hbrBackground = (HBRUSH)(COLOR_BTNFACE + 1),
                      .lpszClassName = L"OracleWindow", .hCursor = LoadCursorW(NULL, (LPCWSTR)IDC_ARROW)};
    RECT r = {0, 0, 668, 450};
    if (count < 2 || wcslen(arguments[1]) > MAX_PATH - 8) return 2;
    if (count > 2) hang_ms = 1000 * _wtoi(arguments[2]);
    swprintf(state_file, MAX_PATH, L"%ls", arguments[1]);
    swprintf(new_file, MAX_PATH, L"%ls.new", arguments[1]);
    swprintf(question_file, MAX_PATH, L"%ls.asked", arguments[1]);
    InitCommonControlsEx(&all);
    RegisterClassW(&kind);
    make_menus();
    AdjustWindowRect(&r, WS_OVERLAPPEDWINDOW, TRUE);
    CreateWindowW(kind.lpszClassName, L"Oracle", WS_OVERLAPPEDWINDOW, 60, 40, r.right - r.left,
                  r.bottom - r.top, NULL, menu_bar, instance, NULL);
    SetTimer(window, 1, 50, NULL);
    ShowWindow(window, show);
    run();
    return 0;
}
