/**
 * What `mutating_swing.py` tells, in Swing: `java MutatingSwing.java`, which compiles and runs it.
 *
 * Lines on its input are orders, their words between tabs; `done N` has those before it carried out, and is answered by
 * where everything stands: `places N`, then an identity and four edges after each tab. What is pressed is told as
 * `pressed ID`, in the table as `cell ROW COLUMN`.
 */

import java.awt.Component;
import java.awt.Container;
import java.awt.FlowLayout;
import java.awt.GridBagConstraints;
import java.awt.GridBagLayout;
import java.awt.Point;
import java.awt.Rectangle;
import java.awt.Window;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.swing.AbstractButton;
import javax.swing.BorderFactory;
import javax.swing.BoxLayout;
import javax.swing.JButton;
import javax.swing.JComponent;
import javax.swing.JDialog;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JTable;
import javax.swing.SwingUtilities;
import javax.swing.Timer;
import javax.swing.border.TitledBorder;
import javax.swing.table.DefaultTableModel;

public class MutatingSwing {
    private static final String UNASKED = "0";
    private static final int LOOK_MS = 20;

    private final Map<String, JComponent> at = new HashMap<>();
    private final Map<String, Window> windows = new HashMap<>();
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private JFrame main;
    private JTable table;
    private String last = "";

    private void obey(String[] order) {
        String id = order.length > 1 ? order[1] : "";
        switch (order[0]) {
            case "window" -> open(id, order[2], order[3]);
            case "shown" -> show(windows.get(id));
            case "close" -> windows.remove(id).dispose();
            case "title" -> setTitle(windows.get(id), order[2]);
            case "box" -> at.put(id, panel(order[2]));
            case "rows" -> at.put(id, panel("column"));
            case "row" -> at.put(id, panel("row"));
            case "group" -> {
                at.put(id, panel("row"));
                rename(id, order[2]);
            }
            case "rename_group" -> rename(id, order[2]);
            case "button" -> {
                JButton button = new JButton(order[2]);
                button.addActionListener(event -> out.println("pressed\t" + id));
                at.put(id, button);
            }
            case "label" -> at.put(id, new JLabel(order[2]));
            case "add" -> add(at.get(id), at.get(order[2]), Integer.parseInt(order[3]));
            case "place" -> place(at.get(id), at.get(order[2]), Integer.parseInt(order[3]), Integer.parseInt(order[4]));
            case "remove" -> at.get(id).getParent().remove(at.get(id));
            case "destroy" -> {
                JComponent gone = at.remove(id);
                gone.getParent().remove(gone);
            }
            case "text" -> setText(at.get(id), order[2]);
            case "enabled" -> at.get(id).setEnabled(Boolean.parseBoolean(order[2]));
            case "visible" -> at.get(id).setVisible(Boolean.parseBoolean(order[2]));
            case "table" -> at.put(id, table(order[2]));
            case "fill" -> fill(order);
            default -> throw new IllegalArgumentException(order[0]);
        }
    }

    private void open(String id, String content, String title) {
        Window window = main == null ? new JFrame(title) : new JDialog(main, title, false);
        JComponent column = panel("column");
        if (window instanceof JFrame frame) {
            main = frame;
            frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
            frame.add(column);
        } else if (window instanceof JDialog dialog) {
            dialog.add(column);
            dialog.setLocation(main.getX() + 300, main.getY() + 300);
        }
        windows.put(id, window);
        at.put(content, column);
    }

    private void show(Window window) {
        window.pack();
        if (window == main) {
            window.setSize(900, 600);
        }
        window.setVisible(true);
    }

    private static void setTitle(Window window, String title) {
        if (window instanceof JFrame frame) {
            frame.setTitle(title);
        } else if (window instanceof JDialog dialog) {
            dialog.setTitle(title);
        }
    }

    private static JPanel panel(String kind) {
        JPanel panel = new JPanel();
        panel.setLayout(switch (kind) {
            case "column" -> new BoxLayout(panel, BoxLayout.Y_AXIS);
            case "grid" -> new GridBagLayout();
            default -> new FlowLayout(FlowLayout.LEFT, 2, 2);
        });
        return panel;
    }

    private void rename(String id, String name) {
        TitledBorder border = BorderFactory.createTitledBorder(name);
        at.get(id).setBorder(border);
        at.get(id).getAccessibleContext().setAccessibleName(name);
    }

    private static void add(Container box, Component widget, int index) {
        if (widget.getParent() == box) {
            box.remove(widget);
        }
        box.add(widget, index);
    }

    private static void place(Container grid, Component widget, int row, int column) {
        GridBagConstraints where = new GridBagConstraints();
        where.gridx = column;
        where.gridy = row;
        if (widget.getParent() == grid) {
            ((GridBagLayout) grid.getLayout()).setConstraints(widget, where);
        } else {
            grid.add(widget, where);
        }
    }

    private static void setText(JComponent widget, String text) {
        if (widget instanceof AbstractButton button) {
            button.setText(text);
        } else if (widget instanceof JLabel label) {
            label.setText(text);
        }
    }

    private JTable table(String name) {
        table = new JTable(new DefaultTableModel(0, 2) {
            @Override
            public boolean isCellEditable(int row, int column) {
                return false;
            }
        });
        table.getAccessibleContext().setAccessibleName(name);
        table.addMouseListener(new MouseAdapter() {
            @Override
            public void mousePressed(MouseEvent event) {
                out.println("cell\t" + table.rowAtPoint(event.getPoint()) + "\t" + table.columnAtPoint(event.getPoint()));
            }
        });
        return table;
    }

    /** The texts of all lines, two and two. */
    private void fill(String[] order) {
        DefaultTableModel model = (DefaultTableModel) table.getModel();
        model.setRowCount((order.length - 2) / 2);
        for (int number = 2; number < order.length; number++) {
            model.setValueAt(order[number], (number - 2) / 2, number % 2);
        }
    }

    /** Where everything stands, in answer to `done`, or unasked where something moved (number 0). */
    private void tell(String number) {
        windows.values().forEach(Window::validate);
        StringBuilder told = new StringBuilder();
        at.forEach((id, widget) -> told.append(place(id, widget, new Rectangle(widget.getSize()))));
        if (table != null) {
            for (int row = 0; row < table.getRowCount(); row++) {
                for (int column = 0; column < 2; column++) {
                    told.append(place("cell " + row + " " + column, table, table.getCellRect(row, column, true)));
                }
            }
        }
        if (!number.equals(UNASKED) || !told.toString().equals(last)) {
            last = told.toString();
            out.println("places\t" + number + told);
        }
    }

    private static String place(String id, JComponent widget, Rectangle part) {
        if (!widget.isShowing()) {
            return "";
        }
        Point corner = widget.getLocationOnScreen();
        int left = corner.x + part.x;
        int top = corner.y + part.y;
        return "\t" + id + "\t" + left + "\t" + top + "\t" + (left + part.width) + "\t" + (top + part.height);
    }

    private void run() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        new Timer(LOOK_MS, event -> tell(UNASKED)).start();
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
                windows.values().forEach(Window::revalidate);
                windows.values().forEach(Window::repaint);
                SwingUtilities.invokeLater(() -> tell(order[1]));
            });
        }
        System.exit(0);
    }

    public static void main(String[] arguments) throws IOException {
        new MutatingSwing().run();
    }
}
