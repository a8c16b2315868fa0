/** A table of 20 rows with a column of check boxes and one of numbers: `java ChecksSwing.java` compiles and runs it. */

import javax.swing.JFrame;
import javax.swing.JScrollPane;
import javax.swing.JTable;
import javax.swing.SwingUtilities;
import javax.swing.table.DefaultTableModel;

public class ChecksSwing {
    private static final int ROWS = 20;
    private static final Class<?>[] KINDS = {String.class, Boolean.class, Integer.class};

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(ChecksSwing::show);
    }

    private static void show() {
        DefaultTableModel model = new DefaultTableModel(new Object[] {"Name", "On", "Number"}, 0) {
            @Override
            public Class<?> getColumnClass(int column) {
                return KINDS[column];
            }
        };
        for (int row = 0; row < ROWS; row++) {
            model.addRow(new Object[] {"row " + row, row % 3 == 0, row * 7});
        }
        JTable table = new JTable(model);
        JFrame frame = new JFrame("Checks");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        frame.add(new JScrollPane(table));
        frame.setSize(500, 400);
        frame.setVisible(true);
    }
}
