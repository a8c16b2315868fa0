/** The orders of `orders_qt.py` in Swing: `java OrdersSwing.java FILE`, which compiles and runs it. */

import java.awt.event.ActionEvent;
import java.awt.event.InputEvent;
import java.awt.event.KeyEvent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.swing.AbstractAction;
import javax.swing.BoxLayout;
import javax.swing.JButton;
import javax.swing.JComponent;
import javax.swing.JDialog;
import javax.swing.JFrame;
import javax.swing.JLabel;
import javax.swing.JOptionPane;
import javax.swing.JPanel;
import javax.swing.JTextField;
import javax.swing.KeyStroke;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

public class OrdersSwing {
    private static final int LOADS_MS = 600;

    private static JPanel row(String label, JTextField field) {
        JLabel beside = new JLabel(label);
        beside.setLabelFor(field);
        JPanel row = new JPanel();
        row.add(beside);
        row.add(field);
        return row;
    }

    private static String logIn() {
        JDialog dialog = new JDialog((JFrame) null, "Clerk", true);
        JTextField name = new JTextField(20);
        JButton ok = new JButton("OK");
        ok.addActionListener(event -> dialog.dispose());
        dialog.getContentPane().setLayout(new BoxLayout(dialog.getContentPane(), BoxLayout.Y_AXIS));
        dialog.add(row("Name", name));
        dialog.add(ok);
        dialog.pack();
        dialog.setVisible(true);
        return name.getText();
    }

    private static void open(Path file, String clerk) {
        JFrame frame = new JFrame(file.getFileName() + " - Orders");
        JTextField order = new JTextField(20);
        JPanel row = row("Order", order);
        row.getInputMap(JComponent.WHEN_IN_FOCUSED_WINDOW)
                .put(KeyStroke.getKeyStroke(KeyEvent.VK_S, InputEvent.CTRL_DOWN_MASK), "save");
        row.getActionMap().put("save", new AbstractAction() {
            @Override
            public void actionPerformed(ActionEvent event) {
                try {
                    Files.writeString(file, clerk + ": " + order.getText() + "\n");
                } catch (IOException error) {
                    throw new UncheckedIOException(error);
                }
            }
        });
        frame.add(row);
        frame.pack();
        frame.setVisible(true);
    }

    public static void main(String[] arguments) {
        Path file = Path.of(arguments[0]);
        SwingUtilities.invokeLater(() -> {
            Object[] answers = {"Go on", "Start anew"};
            JOptionPane.showOptionDialog(null, "An order was not finished. Go on with it?", "Unfinished",
                    JOptionPane.YES_NO_OPTION, JOptionPane.QUESTION_MESSAGE, null, answers, answers[0]);
            String clerk = logIn();
            Timer timer = new Timer(LOADS_MS, event -> open(file, clerk));
            timer.setRepeats(false);
            timer.start();
        });
    }
}
