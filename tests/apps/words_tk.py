"""The words of `words.py` in Tk: `words_tk.py STATE_FILE THEME`."""

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


draw()
canvas.bind("<Button-1>", clicked)
canvas.bind("<Expose>", save)
window.bind("<Configure>", save)
window.mainloop()
