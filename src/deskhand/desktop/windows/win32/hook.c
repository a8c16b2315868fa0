/* hook.dll: works from inside the process of another program's window: reads its live menus, sends it many messages.
 *
 * Menu handles belong to their process under Wine, so nothing of a menu can be read from outside. `read_menu` sets a
 * hook on the thread of the window, which loads this library there, and sends the window a registered message that no
 * program handles; the hook procedure walks the menu and writes its lines into the section that all processes share.
 *
 *     int read_menu(HWND window, int prepare, wchar_t *out, int capacity)
 *
 * `window` has a menu bar, or is an open popup menu (class #32768). `prepare` not 0: its program is first asked to
 * bring the menus up to date, as when they open (WM_INITMENU, WM_INITMENUPOPUP); states may be old otherwise.
 * `out` takes `capacity` characters (1 or more) with the final 0. Returns their number without it, 0 where the window
 * has no menu, or an error (enum below). One line an item, parents before children:
 *
 *     DEPTH FLAGS ID LEFT TOP RIGHT BOTTOM LABEL\n
 *
 * FLAGS is hexadecimal (enum below). The rectangle is on the screen, 0 0 0 0 where the item is not. ID is the command
 * (0 for a submenu). LABEL is as the program wrote it, with & and tab, empty where the program draws the item itself. A
 * last line "+" means that there is more than was read: items beyond MOST_ITEMS, levels beyond MOST_LEVELS, or no room.
 *
 *     int send_many(HWND window, const Sent *sent, int count, UINT64 *answers)
 *
 * sends `window` `count` messages (MOST_SENT at most) in one turn. Addresses in them are those of its process. One with
 * `follows` has the last answer as its second argument; after a 0 it is not sent, and its answer is 0. Returns `count`,
 * or an error.
 *
 * Not for programs of another word size than the library's (OTHER_WORD_SIZE). A call takes at most about 2 seconds.
 *
 * x86_64-w64-mingw32-gcc -O2 -s -shared -o hook.dll hook.c
 */
#define _WIN32_WINNT 0x0600
#include <windows.h>
#include <wchar.h>

enum { WINDOW_GONE = -1, PROGRAM_HANGS = -2, OTHER_WORD_SIZE = -3, HOOK_REFUSED = -4, BUSY = -5 };
enum { GREYED = 1, CHECKED = 2, RADIO = 4, DEFAULT_ITEM = 8 };
enum { SUBMENU = 16, SEPARATOR = 32, HIGHLIGHTED = 64, DRAWN = 128 };
enum { MOST_ITEMS = 600, MOST_LEVELS = 8, MOST_LABEL = 200, LONGEST_LINE = MOST_LABEL + 96, ROOM = 32768 };
enum { MOST_SENT = 512 };
enum { ANSWER_MS = 1000, TURN_MS = 1000, POPUP_MENU_HANDLE = 0x01E1 /* MN_GETHMENU */ };

#define SHARED __attribute__((section(".shared"), shared))
SHARED static volatile LONG wanted = 0;   /* number of the request that is being answered */
SHARED static volatile LONG answered = 0; /* number of the last one that was */
SHARED static volatile LONG length = 0;
SHARED static wchar_t lines[ROOM] = {0};
typedef struct {
    UINT64 first, second;
    UINT32 message, follows;
} Sent;
SHARED static volatile LONG sent_count = 0;
SHARED static Sent to_send[MOST_SENT] = {{0}};
SHARED static UINT64 answers_to[MOST_SENT] = {0};

typedef struct {
    HWND window; /* of the menu bar, or the popup */
    LONG request;
    BOOL prepare, more;
    int items, length;
} Walk;

static HINSTANCE library;

enum { READ, READ_UP_TO_DATE, SEND_MANY }; /* the tasks, first argument of the request */

static UINT request_message(void)
{
    return RegisterWindowMessageW(L"deskhand.hook");
}

static unsigned flags_of(const MENUITEMINFOW *item)
{
    unsigned flags = 0;
    if (item->fState & MFS_GRAYED) flags |= GREYED;
    if (item->fState & MFS_CHECKED) flags |= CHECKED;
    if (item->fState & MFS_DEFAULT) flags |= DEFAULT_ITEM;
    if (item->fState & MFS_HILITE) flags |= HIGHLIGHTED;
    if (item->fType & MFT_RADIOCHECK) flags |= RADIO;
    if (item->fType & MFT_SEPARATOR) flags |= SEPARATOR;
    if (item->fType & MFT_OWNERDRAW) flags |= DRAWN;
    if (item->hSubMenu) flags |= SUBMENU;
    return flags;
}

static void write_line(Walk *walk, const MENUITEMINFOW *item, const RECT *place, int level)
{
    wchar_t *label = item->dwTypeData;
    for (wchar_t *at = label; *at; at++)
        if (*at == L'\n' || *at == L'\r') *at = L' ';
    int n = _snwprintf(lines + walk->length, LONGEST_LINE, L"%d %x %u %ld %ld %ld %ld %ls\n", level, flags_of(item),
                       item->hSubMenu ? 0 : item->wID, place->left, place->top, place->right, place->bottom, label);
    if (n > 0 && n < LONGEST_LINE) walk->length += n;
}

static void walk_menu(Walk *walk, HMENU menu, int level);

static void walk_item(Walk *walk, HMENU menu, int at, int level)
{
    wchar_t label[MOST_LABEL] = L"";
    RECT place = {0, 0, 0, 0};
    MENUITEMINFOW item = {.cbSize = sizeof item, .dwTypeData = label, .cch = MOST_LABEL};
    item.fMask = MIIM_FTYPE | MIIM_STATE | MIIM_ID | MIIM_SUBMENU | MIIM_STRING;
    if (!GetMenuItemInfoW(menu, at, TRUE, &item)) return;
    item.dwTypeData = label; /* a bitmap or data of the program otherwise */
    label[MOST_LABEL - 1] = 0;
    if (level == 0 && !GetMenuItemRect(walk->window, menu, at, &place)) SetRectEmpty(&place);
    write_line(walk, &item, &place, level);
    if (item.hSubMenu && level + 1 < MOST_LEVELS) walk_menu(walk, item.hSubMenu, level + 1);
    else if (item.hSubMenu) walk->more = TRUE;
}

static void walk_menu(Walk *walk, HMENU menu, int level)
{
    int count = GetMenuItemCount(menu);
    for (int at = 0; at < count; at++) {
        if (wanted != walk->request) return; /* nobody waits for it any more */
        if (walk->items++ == MOST_ITEMS || walk->length + LONGEST_LINE > ROOM) {
            walk->more = TRUE;
            return;
        }
        HMENU inner = GetSubMenu(menu, at);
        if (inner && walk->prepare) SendMessageW(walk->window, WM_INITMENUPOPUP, (WPARAM)inner, MAKELPARAM(at, FALSE));
        walk_item(walk, menu, at, level);
    }
}

static void answer(HWND window, LONG request, BOOL prepare)
{
    wchar_t kind[16] = L"";
    Walk walk = {.window = window, .request = request};
    GetClassNameW(window, kind, 16);
    BOOL is_popup = !wcscmp(kind, L"#32768");
    HMENU menu = is_popup ? (HMENU)SendMessageW(window, POPUP_MENU_HANDLE, 0, 0) : GetMenu(window);
    walk.prepare = prepare && !is_popup; /* a popup was brought up to date as it opened */
    if (!IsMenu(menu)) menu = NULL;
    if (menu && walk.prepare) SendMessageW(window, WM_INITMENU, (WPARAM)menu, 0);
    if (menu) walk_menu(&walk, menu, 0);
    length = walk.length;
    if (walk.more && walk.length + 3 < ROOM) {
        wcscpy(lines + walk.length, L"+\n");
        length += 2;
    }
}

static void send_all(HWND window, LONG request)
{
    UINT64 last = 0;
    for (int at = 0; at < sent_count && wanted == request; at++) {
        const Sent *it = &to_send[at];
        last = it->follows && !last ? 0 : SendMessageW(window, it->message, it->first, it->follows ? last : it->second);
        answers_to[at] = last;
    }
}

/* Runs in the process of the window. A request that came too late, after another, is not answered. */
static LRESULT CALLBACK before_message(int code, WPARAM sender, LPARAM parameter)
{
    const CWPSTRUCT *sent = (const CWPSTRUCT *)parameter;
    LONG request = code == HC_ACTION && sent->message == request_message() ? (LONG)sent->lParam : 0;
    if (request && request == wanted && request != answered) {
        length = 0;
        if (sent->wParam == SEND_MANY) send_all(sent->hwnd, request);
        else answer(sent->hwnd, request, sent->wParam == READ_UP_TO_DATE);
        InterlockedExchange(&answered, request);
    }
    return CallNextHookEx(NULL, code, sender, parameter);
}

static BOOL has_word_size_of_library(DWORD process)
{
    BOOL its_small = FALSE, own_small = FALSE;
    HANDLE opened = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process);
    if (!opened) return TRUE; /* the hook will say so */
    IsWow64Process(opened, &its_small);
    IsWow64Process(GetCurrentProcess(), &own_small);
    CloseHandle(opened);
    return its_small == own_small;
}

/* 0, or an error. */
static int ask(HWND window, DWORD thread, WPARAM task)
{
    DWORD_PTR unused;
    HHOOK hook = SetWindowsHookExW(WH_CALLWNDPROC, before_message, library, thread);
    if (!hook) return HOOK_REFUSED;
    LONG request = InterlockedIncrement(&wanted);
    BOOL sent = SendMessageTimeoutW(window, request_message(), task, request, SMTO_ABORTIFHUNG, ANSWER_MS, &unused);
    BOOL is_answered = answered == request;
    if (!is_answered) InterlockedIncrement(&wanted); /* whoever answers it now writes nothing */
    UnhookWindowsHookEx(hook);
    if (is_answered) return 0;
    return !IsWindow(window) ? WINDOW_GONE : sent ? HOOK_REFUSED : PROGRAM_HANGS;
}

/* The caller's turn with the section that all processes share; NULL where others take too long. */
static HANDLE take_turn(void)
{
    HANDLE turn = CreateMutexW(NULL, FALSE, L"Local\\deskhand.hook");
    DWORD waited = turn ? WaitForSingleObject(turn, TURN_MS) : WAIT_FAILED;
    if (waited == WAIT_OBJECT_0 || waited == WAIT_ABANDONED) return turn;
    if (turn) CloseHandle(turn);
    return NULL;
}

static void end_turn(HANDLE turn)
{
    ReleaseMutex(turn);
    CloseHandle(turn);
}

/* The thread of a window that can be asked, or 0 with the error. */
static DWORD thread_of(HWND window, int *error)
{
    DWORD process = 0, thread = GetWindowThreadProcessId(window, &process);
    *error = !thread ? WINDOW_GONE : has_word_size_of_library(process) ? 0 : OTHER_WORD_SIZE;
    return *error ? 0 : thread;
}

__declspec(dllexport) int read_menu(HWND window, int prepare, wchar_t *out, int capacity)
{
    int n;
    DWORD thread = thread_of(window, &n);
    out[0] = 0;
    if (!thread) return n;
    HANDLE turn = take_turn();
    if (!turn) return BUSY;
    n = ask(window, thread, prepare ? READ_UP_TO_DATE : READ);
    if (!n) {
        n = min(length, capacity - 1);
        wmemcpy(out, lines, n);
        out[n] = 0;
    }
    end_turn(turn);
    return n;
}

__declspec(dllexport) int send_many(HWND window, const Sent *sent, int count, UINT64 *answers)
{
    int n;
    DWORD thread = thread_of(window, &n);
    if (!thread) return n;
    HANDLE turn = take_turn();
    if (!turn) return BUSY;
    sent_count = min(count, MOST_SENT);
    memcpy(to_send, sent, sent_count * sizeof *sent);
    n = ask(window, thread, SEND_MANY);
    if (!n) memcpy(answers, answers_to, (n = sent_count) * sizeof *answers);
    end_turn(turn);
    return n;
}

BOOL WINAPI DllMain(HINSTANCE instance, DWORD reason, LPVOID reserved)
{
    (void)reserved;
    library = instance;
    if (reason == DLL_PROCESS_ATTACH) DisableThreadLibraryCalls(instance);
    return TRUE;
}
