"""The words of `words.py` in Tk: `words_tk.py STATE_FILE THEME [lying]`.

Lying, it turns a page by itself every 0.4 s, and for 60 ms after "Do nothing" shows a count that it has not.
"""

import sys
import tkinter as tk

from words import COLOURS, LEFT, SIZE, TITLE, Words

words = Words(sys.argv[1])
back, front = COLOURS[sys.argv[2]]
window = tk.Tk()
window.title(TITLE)
canvas = tk.Canvas(window, width=SIZE[0], height=SIZE[1], bg=back, highlightthickness=0)
canvas.pack()


def draw():
    canvas.delete("all")
    words.boxes = {
        text: canvas.bbox(canvas.create_text(LEFT, top, anchor="nw", text=text, fill=front, font="TkDefaultFont"))
        for text, top in words.lines
    }
    if words.frame:
        canvas.create_rectangle(*words.frame, outline=front)


def save(_=None):
    words.save((canvas.winfo_rootx(), canvas.winfo_rooty()))


def clicked(event):
    if words.click(event.x, event.y):
        draw()
    save()
    if lying and words.clicks[-1] == "Do nothing":
        show(1)
        window.after(60, show, -1)


def show(more):
    words.count += more
    draw()


def turn():
    words.page += 1
    draw()
    window.after(400, turn)


lying = "lying" in sys.argv
draw()
if lying:
    turn()
canvas.bind("<Button-1>", clicked)
canvas.bind("<Expose>", save)
window.bind("<Configure>", save)
window.mainloop()
