/**
 * A Swing view of very many rows: `java RowsSwing.java table|list STATE_FILE`, which compiles and runs it.
 *
 * The texts are those of `rows.py`, and so is the form of the file.
 */

import java.awt.Point;
import java.awt.Rectangle;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import javax.swing.AbstractListModel;
import javax.swing.JComponent;
import javax.swing.JFrame;
import javax.swing.JList;
import javax.swing.JScrollPane;
import javax.swing.JTable;
import javax.swing.SwingUtilities;
import javax.swing.Timer;
import javax.swing.table.AbstractTableModel;

public class RowsSwing {
    private static final int LOOK_MS = 50;
    private static final int COUNT = 100_000;
    private static final String[] COLUMNS = {"name", "code"};

    private final Path path;
    private final List<String> clicked = new ArrayList<>();
    private final JTable table = new JTable(new Numbers());
    private final JList<String> list = new JList<>(new Lines());
    private final JComponent view;
    private String written = "";

    private static class Numbers extends AbstractTableModel {
        public int getRowCount() {
            return COUNT;
        }

        public int getColumnCount() {
            return COLUMNS.length;
        }

        public String getColumnName(int column) {
            return COLUMNS[column];
        }

        public Object getValueAt(int row, int column) {
            return text(row, column);
        }
    }

    private static class Lines extends AbstractListModel<String> {
        public int getSize() {
            return COUNT;
        }

        public String getElementAt(int row) {
            return text(row, 0);
        }
    }

    RowsSwing(String kind, Path path) {
        this.path = path;
        list.setPrototypeCellValue(text(COUNT, 0));
        view = kind.equals("table") ? table : list;
        view.getAccessibleContext().setAccessibleName("Numbers");
        view.addMouseListener(new MouseAdapter() {
            @Override
            public void mousePressed(MouseEvent event) {
                int row = view == table ? table.rowAtPoint(event.getPoint()) : list.locationToIndex(event.getPoint());
                clicked.add(text(row, view == table ? table.columnAtPoint(event.getPoint()) : 0));
                write();
            }
        });
        JFrame frame = new JFrame("Rows");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(new JScrollPane(view));
        frame.setSize(500, 400);
        frame.setVisible(true);
        new Timer(LOOK_MS, event -> write()).start();
    }

    private static String text(int row, int column) {
        return column == 0 ? "Row " + row : String.format("x%05d", row);
    }

    private void write() {
        Rectangle shown = view.getVisibleRect();
        if (!view.isShowing() || shown.isEmpty()) {
            return;
        }
        Point corner = view.getLocationOnScreen();
        List<String> cells = new ArrayList<>();
        int columns = view == table ? COLUMNS.length : 1;
        int first = view == table ? table.rowAtPoint(shown.getLocation()) : list.getFirstVisibleIndex();
        Point end = new Point(shown.x, shown.y + shown.height - 1);
        int last = view == table ? table.rowAtPoint(end) : list.getLastVisibleIndex();
        for (int row = first; row <= (last < 0 ? COUNT - 1 : last); row++) {
            for (int column = 0; column < columns; column++) {
                Rectangle whole = view == table ? table.getCellRect(row, column, true) : list.getCellBounds(row, row);
                Rectangle seen = whole.intersection(shown);
                if (!seen.isEmpty()) {
                    int left = corner.x + seen.x;
                    int top = corner.y + seen.y;
                    cells.add("\"" + text(row, column) + "\": [" + left + ", " + top + ", " + (left + seen.width) + ", "
                        + (top + seen.height) + "]");
                }
            }
        }
        String quoted = clicked.isEmpty() ? "" : "\"" + String.join("\", \"", clicked) + "\"";
        save("{\"cells\": {" + String.join(", ", cells) + "}, \"clicked\": [" + quoted + "]}");
    }

    private void save(String told) {
        if (told.equals(written)) {
            return;
        }
        try {
            Path temporary = path.resolveSibling(path.getFileName() + ".new");
            Files.writeString(temporary, told);
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        written = told;
    }

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> new RowsSwing(arguments[0], Path.of(arguments[1])));
    }
}
