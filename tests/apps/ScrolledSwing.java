import java.awt.BorderLayout;
import java.awt.Dimension;
import java.io.File;
import java.io.PrintWriter;
import java.util.StringJoiner;
import javax.swing.BoxLayout;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JPanel;
import javax.swing.JScrollPane;
import javax.swing.SwingUtilities;
import javax.swing.Timer;

/** A button beside a pane that scrolls: `ScrolledSwing FILE`. The file says which buttons are seen. */
public final class ScrolledSwing {
    private ScrolledSwing() { }

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> show(new File(arguments[0])));
    }

    private static void show(File file) {
        JFrame frame = new JFrame("Scrolled");
        JPanel rows = new JPanel();
        rows.setLayout(new BoxLayout(rows, BoxLayout.Y_AXIS));
        JButton[] buttons = new JButton[30];
        for (int number = 0; number < buttons.length; number++) {
            buttons[number] = new JButton("Row " + number);
            rows.add(buttons[number]);
        }
        JScrollPane pane = new JScrollPane(rows);
        pane.setPreferredSize(new Dimension(280, 130));
        JButton above = new JButton("Above");
        above.addActionListener(event -> pane.getVerticalScrollBar().setValue(60));
        frame.add(pane, BorderLayout.CENTER);
        frame.add(above, BorderLayout.NORTH);
        frame.pack();
        frame.setVisible(true);
        new Timer(50, event -> tell(file, buttons, pane.getVerticalScrollBar().getValue())).start();
    }

    private static void tell(File file, JButton[] buttons, int at) {
        StringJoiner seen = new StringJoiner("\", \"", "[\"", "\"]");
        for (JButton button : buttons) {
            if (!button.getVisibleRect().isEmpty()) {
                seen.add(button.getText());
            }
        }
        File fresh = new File(file.getPath() + ".new");
        try (PrintWriter writer = new PrintWriter(fresh, "UTF-8")) {
            writer.print("{\"seen\": " + seen + ", \"at\": " + at + "}");
        } catch (java.io.IOException error) {
            throw new IllegalStateException(error);
        }
        fresh.renameTo(file);
    }
}
