/**
 * The rows of `rows.py` in Swing, fewer of them: `java RowsSwing.java table|list|tree|branches COUNT STATE_FILE`, which
 * compiles and runs it. The Java bridge makes an object of each of them before it answers anything.
 */

import java.awt.Component;
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
import java.util.stream.Collectors;
import javax.swing.AbstractListModel;
import javax.swing.JComponent;
import javax.swing.JFrame;
import javax.swing.JList;
import javax.swing.JScrollPane;
import javax.swing.JTable;
import javax.swing.JTree;
import javax.swing.SwingUtilities;
import javax.swing.Timer;
import javax.swing.table.AbstractTableModel;
import javax.swing.tree.DefaultMutableTreeNode;
import javax.swing.tree.TreePath;

public class RowsSwing {
    private static final int BRANCH = 1_000;
    private static final String[] COLUMNS = {"name", "code"};
    private static final int LOOK_MS = 50;

    private final int count;
    private final Path path;
    private final JComponent view;
    private final List<String> clicked = new ArrayList<>();
    private String written = "";

    RowsSwing(String kind, int count, Path path) {
        this.count = count;
        this.path = path;
        view = switch (kind) {
            case "table" -> table();
            case "list" -> list();
            case "tree" -> tree(1);
            default -> tree(BRANCH);
        };
        view.getAccessibleContext().setAccessibleName("Numbers");
        JFrame frame = new JFrame("Rows");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(new JScrollPane(view));
        frame.setSize(500, 400);
        frame.setVisible(true);
        view.addMouseListener(new MouseAdapter() {
            @Override
            public void mousePressed(MouseEvent event) {
                cells(new Rectangle(event.getPoint().x, event.getPoint().y, 1, 1)).stream().findFirst()
                    .ifPresent(cell -> clicked.add(cell.text));
                write();
            }
        });
        new Timer(LOOK_MS, event -> write()).start();
    }

    private JTable table() {
        JTable table = new JTable(new Rows());
        table.setAutoCreateRowSorter(true);
        return table;
    }

    private JList<String> list() {
        JList<String> list = new JList<>(new AbstractListModel<>() {
            @Override
            public int getSize() {
                return count;
            }

            @Override
            public String getElementAt(int index) {
                return text(index, 0);
            }
        });
        list.setPrototypeCellValue("Row 100000");
        return list;
    }

    /** `branch`: after how many rows one stands on top again. */
    private JTree tree(int branch) {
        DefaultMutableTreeNode root = new DefaultMutableTreeNode("Root");
        for (int row = 0; row < count; row++) {
            DefaultMutableTreeNode above = row % branch == 0 ? root : (DefaultMutableTreeNode) root.getLastChild();
            above.add(new DefaultMutableTreeNode(text(row, 0)));
        }
        JTree tree = new JTree(root);
        tree.setLargeModel(true);
        tree.setRowHeight(20);
        tree.setRootVisible(false);
        for (int row = 0; row < tree.getRowCount(); row++) {
            tree.expandRow(row);
        }
        return tree;
    }

    private static String text(int row, int column) {
        return column == 0 ? "Row " + row : String.format("x%05d", row);
    }

    private class Rows extends AbstractTableModel {
        @Override
        public int getRowCount() {
            return count;
        }

        @Override
        public int getColumnCount() {
            return COLUMNS.length;
        }

        @Override
        public String getColumnName(int column) {
            return COLUMNS[column];
        }

        @Override
        public Object getValueAt(int row, int column) {
            return text(row, column);
        }
    }

    private record Cell(String text, Rectangle place) {
    }

    /** Those that are seen in a part of the view, as far as they are. */
    private List<Cell> cells(Rectangle part) {
        List<Cell> found = new ArrayList<>();
        if (view instanceof JTable table) {
            for (int row = table.rowAtPoint(part.getLocation()); row >= 0 && row < count; row++) {
                for (int column = 0; column < COLUMNS.length; column++) {
                    String text = text(table.convertRowIndexToModel(row), column);
                    found.add(new Cell(text, table.getCellRect(row, column, true).intersection(part)));
                }
                if (table.getCellRect(row + 1, 0, true).y >= part.y + part.height) {
                    break;
                }
            }
        } else if (view instanceof JList<?> list) {
            int last = list.locationToIndex(new Point(part.x, part.y + part.height - 1));
            for (int row = Math.max(list.locationToIndex(part.getLocation()), 0); row <= last; row++) {
                found.add(new Cell(text(row, 0), list.getCellBounds(row, row).intersection(part)));
            }
        } else if (view instanceof JTree tree) {
            int last = tree.getClosestRowForLocation(part.x, part.y + part.height - 1);
            for (int row = tree.getClosestRowForLocation(part.x, part.y); row <= last; row++) {
                TreePath at = tree.getPathForRow(row);
                found.add(new Cell(at.getLastPathComponent().toString(), tree.getRowBounds(row).intersection(part)));
            }
        }
        return found.stream().filter(cell -> !cell.place.isEmpty()).toList();
    }

    private void write() {
        Component top = SwingUtilities.getWindowAncestor(view);
        if (!top.isShowing()) {
            return;
        }
        Point corner = view.getLocationOnScreen();
        String cells = cells(view.getVisibleRect()).stream().map(cell -> {
            int left = corner.x + cell.place.x;
            int above = corner.y + cell.place.y;
            return '"' + cell.text + "\": [" + left + ", " + above + ", " + (left + cell.place.width) + ", "
                + (above + cell.place.height) + "]";
        }).collect(Collectors.joining(", "));
        String pressed = clicked.stream().map(text -> '"' + text + '"').collect(Collectors.joining(", "));
        save("{\"cells\": {" + cells + "}, \"clicked\": [" + pressed + "]}");
    }

    private void save(String text) {
        if (text.equals(written)) {
            return;
        }
        try {
            Path temporary = path.resolveSibling(path.getFileName() + ".new");
            Files.writeString(temporary, text);
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        written = text;
    }

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> new RowsSwing(arguments[0], Integer.parseInt(arguments[1]), Path.of(arguments[2])));
    }
}
