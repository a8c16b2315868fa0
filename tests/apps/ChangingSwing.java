/**
 * What `changing_swing.py` tells, in Swing: `java ChangingSwing.java`, which compiles and runs it.
 *
 * It says its version on the first line. Lines on its input are orders, their words between tabs; `done N` has those
 * before it carried out, and is answered by a line of JSON: `number`, and `look`, which says how everything is.
 */

import java.awt.BorderLayout;
import java.awt.Component;
import java.awt.Container;
import java.awt.Dimension;
import java.awt.FlowLayout;
import java.awt.GridLayout;
import java.awt.Point;
import java.awt.Rectangle;
import java.awt.Window;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.swing.AbstractButton;
import javax.swing.BorderFactory;
import javax.swing.BoxLayout;
import javax.swing.DefaultListModel;
import javax.swing.JButton;
import javax.swing.JCheckBox;
import javax.swing.JComponent;
import javax.swing.JDialog;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JList;
import javax.swing.JMenuItem;
import javax.swing.JPanel;
import javax.swing.JPopupMenu;
import javax.swing.JScrollBar;
import javax.swing.JScrollPane;
import javax.swing.JSlider;
import javax.swing.JSpinner;
import javax.swing.JTabbedPane;
import javax.swing.JTable;
import javax.swing.JTextField;
import javax.swing.ListSelectionModel;
import javax.swing.ScrollPaneConstants;
import javax.swing.SpinnerNumberModel;
import javax.swing.SwingUtilities;
import javax.swing.table.DefaultTableModel;

public class ChangingSwing {
    private static final int GAP = 16;

    private final JFrame frame = new JFrame("Changing");
    private final Map<String, JComponent> at = new LinkedHashMap<>();
    private final Map<String, JPanel> boxes = new LinkedHashMap<>();
    private final Map<String, JScrollPane> scrolled = new LinkedHashMap<>();
    private final JTabbedPane book = new JTabbedPane();
    private final DefaultListModel<String> words = new DefaultListModel<>();
    private final JList<String> list = new JList<>(words);
    private final DefaultTableModel cells = new DefaultTableModel(new String[] {"Word", "Done"}, 0) {
        @Override
        public boolean isCellEditable(int row, int column) {
            return false;
        }
    };
    private final JTable grid = new JTable(cells);
    private final JCheckBox more = new JCheckBox("x1 More");
    private final Map<String, List<AbstractButton>> extra = new LinkedHashMap<>();
    private final Map<String, Runnable> closing = new LinkedHashMap<>();

    ChangingSwing() {
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        boxes.put("first", new JPanel(new FlowLayout(FlowLayout.LEFT, 2, 0)));
        boxes.put("second", new JPanel(new FlowLayout(FlowLayout.LEFT, 2, 0)));
        boxes.put("inner", new JPanel(new FlowLayout(FlowLayout.LEFT, 2, 0)));
        JPanel column = new JPanel();
        column.setLayout(new BoxLayout(column, BoxLayout.Y_AXIS));
        boxes.put("long", column);
        JPanel top = new JPanel(new GridLayout(2, 1));
        top.add(boxes.get("first"));
        top.add(boxes.get("second"));
        frame.add(top, BorderLayout.NORTH);
        frame.add(book);
        list.getAccessibleContext().setAccessibleName("list");
        list.setSelectionMode(ListSelectionModel.SINGLE_SELECTION);
        grid.getAccessibleContext().setAccessibleName("grid");
        grid.setSelectionMode(ListSelectionModel.SINGLE_SELECTION);
        grid.setTableHeader(null); // its cells are other objects at each look
        Map.<String, JComponent>of("long", column, "list", list, "grid", grid).forEach((name, body) -> {
            JScrollPane pane = new JScrollPane(body);
            pane.setVerticalScrollBarPolicy(ScrollPaneConstants.VERTICAL_SCROLLBAR_ALWAYS);
            scrolled.put(name, pane);
        });
        boxes.get("inner").setVisible(false);
        more.addItemListener(event -> boxes.get("inner").setVisible(more.isSelected()));
    }

    private void addPages(String[] titles) {
        JPanel both = new JPanel(new GridLayout(1, 2));
        both.add(scrolled.get("list"));
        both.add(scrolled.get("grid"));
        JPanel page = new JPanel(new FlowLayout(FlowLayout.LEFT));
        page.add(more);
        page.add(boxes.get("inner"));
        book.addTab(titles[0], scrolled.get("long"));
        book.addTab(titles[1], both);
        book.addTab(titles[2], page);
    }

    private void obey(String[] order) {
        String first = order.length > 1 ? order[1] : "";
        String second = order.length > 2 ? order[2] : "";
        switch (order[0]) {
            case "tabs" -> addPages(Arrays.copyOfRange(order, 1, order.length));
            case "shown" -> {
                frame.setSize(920, 520);
                frame.setVisible(true);
            }
            case "title" -> frame.setTitle(first);
            case "make" -> {
                at.put(first, made(second));
                rename(at.get(first), order[3]);
            }
            case "rename" -> rename(at.get(first), order[3]);
            case "put" -> put(at.get(first), second, Integer.parseInt(order[3]));
            case "take" -> take(at.get(first));
            case "destroy" -> take(at.remove(first));
            case "text" -> ((JTextField) at.get(first)).setText(second);
            case "value" -> setValue(at.get(first), Integer.parseInt(second));
            case "enabled" -> at.get(first).setEnabled(Boolean.parseBoolean(second));
            case "check" -> flip((JCheckBox) at.get(first));
            case "visible" -> at.get(first).setVisible(Boolean.parseBoolean(second));
            case "focus" -> at.get(first).requestFocusInWindow();
            case "turn" -> turn(at.get(first), order[3]);
            case "insert_row" -> insertRow(first, Integer.parseInt(second), order[3]);
            case "remove_row" -> removeRow(first, Integer.parseInt(second));
            case "set_row" -> setRow(first, Integer.parseInt(second), order[3]);
            case "order_rows" -> order(first, Arrays.stream(order).skip(2).mapToInt(Integer::parseInt).toArray());
            case "select_row" -> select(first, Integer.parseInt(second));
            case "flip_row" -> {
                int row = Integer.parseInt(first);
                cells.setValueAt(cells.getValueAt(row, 1).equals("no") ? "yes" : "no", row, 1);
            }
            case "tab" -> book.setSelectedIndex(Integer.parseInt(first));
            case "expand" -> more.setSelected(Boolean.parseBoolean(first));
            case "open" -> open(first, Arrays.copyOfRange(order, 2, order.length));
            case "close" -> {
                extra.remove(first);
                closing.remove(first).run();
            }
            case "scroll" -> {
                JScrollBar bar = scrolled.get(first).getVerticalScrollBar();
                frame.validate();
                bar.setValue((int) (Double.parseDouble(second) * (bar.getMaximum() - bar.getVisibleAmount())));
            }
            case "resize" -> frame.setSize(Integer.parseInt(first), Integer.parseInt(second));
            case "shift" -> frame.setLocation(Integer.parseInt(first), Integer.parseInt(second));
            default -> throw new IllegalArgumentException(order[0]);
        }
    }

    // parts

    private static JComponent made(String kind) {
        return switch (kind) {
            case "button" -> new JButton();
            case "check" -> new JCheckBox();
            case "entry" -> new JTextField("first", 8);
            case "label" -> new JLabel();
            case "slider" -> {
                JSlider slider = new JSlider(0, 100, 0);
                slider.setPreferredSize(new Dimension(100, 24));
                yield slider;
            }
            default -> new JSpinner(new SpinnerNumberModel(0, 0, 100, 1));
        };
    }

    private static void rename(JComponent part, String name) {
        if (part instanceof AbstractButton button) {
            button.setText(name);
        } else if (part instanceof JLabel label) {
            label.setText(name);
        } else {
            part.getAccessibleContext().setAccessibleName(name);
        }
    }

    private void put(JComponent part, String box, int index) {
        JComponent shown = part;
        if (box.equals("long")) {
            JPanel row = new JPanel(new FlowLayout(FlowLayout.LEFT, 0, 0));
            row.setBorder(BorderFactory.createEmptyBorder(0, 0, GAP, 0));
            row.add(part);
            shown = row;
        }
        boxes.get(box).add(shown, index);
    }

    private void take(JComponent part) {
        Container around = part.getParent();
        around.remove(part);
        if (around.getParent() == boxes.get("long")) {
            around.getParent().remove(around);
        }
    }

    private static void setValue(JComponent part, int number) {
        if (part instanceof JSlider slider) {
            slider.setValue(number);
        } else {
            ((JSpinner) part).setValue(number);
        }
    }

    private static void flip(JCheckBox box) {
        box.setSelected(!box.isSelected());
    }

    private static void turn(JComponent part, String form) {
        if (part instanceof JSlider slider) {
            slider.setOrientation(form.equals("upright") ? JSlider.VERTICAL : JSlider.HORIZONTAL);
        } else {
            ((JTextField) part).setEditable(!form.equals("locked"));
        }
    }

    // rows

    private void insertRow(String which, int index, String text) {
        if (which.equals("list")) {
            words.add(index, text);
        } else {
            cells.insertRow(index, new String[] {text, "no"});
        }
    }

    private void removeRow(String which, int index) {
        if (which.equals("list")) {
            words.remove(index);
        } else {
            cells.removeRow(index);
        }
    }

    private void setRow(String which, int index, String text) {
        if (which.equals("list")) {
            words.set(index, text);
        } else {
            cells.setValueAt(text, index, 0);
        }
    }

    private void order(String which, int[] order) {
        IntFunction<String> word = row -> which.equals("list") ? words.get(row) : (String) cells.getValueAt(row, 0);
        String[] texts = Arrays.stream(order).mapToObj(word).toArray(String[]::new);
        for (int row = 0; row < texts.length; row++) {
            setRow(which, row, texts[row]);
        }
    }

    private void select(String which, int index) {
        if (which.equals("list")) {
            list.setSelectedIndex(index);
        } else {
            grid.changeSelection(index, 0, false, false);
        }
    }

    // what lies over the window

    private void open(String which, String[] names) {
        List<AbstractButton> parts = new ArrayList<>();
        if (which.equals("popup")) {
            JPopupMenu menu = new JPopupMenu();
            for (String name : names) {
                parts.add(menu.add(new JMenuItem(name)));
            }
            menu.show(frame.getContentPane(), 300, 200);
            closing.put(which, () -> menu.setVisible(false));
        } else {
            JDialog dialog = new JDialog(frame, "Question", false);
            dialog.setLayout(new GridLayout(names.length, 1));
            for (String name : names) {
                JButton button = new JButton(name);
                parts.add(button);
                dialog.add(button);
            }
            dialog.setLocation(frame.getX() + 300, frame.getY() + 300);
            dialog.pack();
            dialog.setVisible(true);
            closing.put(which, dialog::dispose);
        }
        extra.put(which, parts);
    }

    // what is true

    private String look() {
        String parts = at.entrySet().stream().map(part -> quoted(part.getKey()) + ": " + facts(part.getValue()))
            .collect(Collectors.joining(", "));
        String lines = IntStream.range(0, words.size()).mapToObj(
            row -> facts(list, list.getCellBounds(row, row), true, list.isSelectedIndex(row)))
            .collect(Collectors.joining(", "));
        String rows = IntStream.range(0, cells.getRowCount()).mapToObj(
            row -> facts(grid, grid.getCellRect(row, 0, true), true, grid.isCellSelected(row, 0)))
            .collect(Collectors.joining(", "));
        String tabs = IntStream.range(0, book.getTabCount()).mapToObj(
            tab -> facts(book, book.getBoundsAt(tab), true, book.getSelectedIndex() == tab))
            .collect(Collectors.joining(", "));
        String open = extra.entrySet().stream().map(
            top -> quoted(top.getKey()) + ": [" + top.getValue().stream().map(this::facts)
                .collect(Collectors.joining(", ")) + "]").collect(Collectors.joining(", "));
        return "{\"parts\": {" + parts + "}, \"rows\": {\"list\": [" + lines + "], \"grid\": [" + rows + "]}, \"tabs\": ["
            + tabs + "], \"more\": " + facts(more) + ", \"extra\": {" + open + "}}";
    }

    private String facts(JComponent part) {
        return facts(part, new Rectangle(part.getSize()), part.isEnabled(), false);
    }

    private String facts(JComponent part, Rectangle place, boolean enabled, boolean selected) {
        boolean showing = part.isShowing();
        List<String> clips = new ArrayList<>();
        for (Container above = part.getParent(); showing && above != null; above = above.getParent()) {
            boolean cuts = scrolled.values().stream().map(JScrollPane::getViewport).anyMatch(above::equals);
            if (cuts || above == frame.getContentPane()) {
                clips.add(onScreen((JComponent) above, new Rectangle(above.getSize())));
            }
        }
        boolean checked = part instanceof JCheckBox box && box.isSelected();
        boolean editable = part instanceof JTextField field && field.isEditable();
        String value = part instanceof JTextField field ? field.getText()
            : part instanceof JSlider slider ? String.valueOf(slider.getValue())
            : part instanceof JSpinner spin ? String.valueOf(spin.getValue()) : "";
        return "{\"mapped\": " + showing + ", \"rect\": " + onScreen(part, place) + ", \"clips\": " + clips
            + ", \"enabled\": " + enabled + ", \"checked\": " + checked + ", \"editable\": " + editable
            + ", \"selected\": " + selected + ", \"focused\": " + part.isFocusOwner() + ", \"value\": " + quoted(value)
            + "}";
    }

    private static String onScreen(JComponent part, Rectangle place) {
        if (!part.isShowing()) {
            return "[0, 0, 0, 0]";
        }
        Point corner = part.getLocationOnScreen();
        int left = corner.x + place.x;
        int top = corner.y + place.y;
        return "[" + left + ", " + top + ", " + (left + place.width) + ", " + (top + place.height) + "]";
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private void run() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.println(System.getProperty("java.version"));
        List<String[]> orders = new ArrayList<>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] order = line.split("\t", -1);
            if (!order[0].equals("done")) {
                orders.add(order);
                continue;
            }
            List<String[]> batch = List.copyOf(orders);
            orders.clear();
            SwingUtilities.invokeLater(() -> {
                batch.forEach(this::obey);
                for (Component box : boxes.values()) {
                    box.revalidate();
                    box.repaint();
                }
                Arrays.stream(Window.getWindows()).forEach(Window::validate);
                SwingUtilities.invokeLater(
                    () -> out.println("{\"number\": " + order[1] + ", \"look\": " + look() + "}"));
            });
        }
        System.exit(0);
    }

    public static void main(String[] arguments) throws IOException {
        new ChangingSwing().run();
    }
}
