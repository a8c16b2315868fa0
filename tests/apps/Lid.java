import java.awt.Dimension;
import javax.swing.JButton;
import javax.swing.JFrame;
import javax.swing.JLayeredPane;
import javax.swing.SwingUtilities;

/** A button that another one of its window lies over; the title says which was pressed last. */
public class Lid {
    private static final JFrame WINDOW = new JFrame("Lid");
    private static final JLayeredPane PANE = new JLayeredPane();

    private static void add(String name, int top, int layer) {
        JButton button = new JButton(name);
        button.setBounds(0, top, 300, 150);
        button.addActionListener(event -> WINDOW.setTitle("Lid: " + name));
        PANE.add(button, Integer.valueOf(layer));
    }

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(() -> {
            PANE.setPreferredSize(new Dimension(300, 300));
            add("Under", 0, 1);
            add("Free", 150, 1);
            add("Over", 0, 2);
            WINDOW.add(PANE);
            WINDOW.pack();
            WINDOW.setVisible(true);
        });
    }
}
